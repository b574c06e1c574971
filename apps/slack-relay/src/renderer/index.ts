export { renderer } from "./renderer.ts";
