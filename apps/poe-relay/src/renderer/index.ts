export { createRenderer, renderer } from "./renderer.ts";
