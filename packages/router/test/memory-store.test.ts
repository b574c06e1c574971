import { MemoryStore } from "../src/index.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("MemoryStore", async () => new MemoryStore());
