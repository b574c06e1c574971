import fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolView } from "../src/index.ts";
import { ToolList } from "../src/tool-list.ts";

const tool = (id: string, status: string): ToolView => ({
  id,
  title: id,
  toolKind: "read",
  status,
  content: [],
  startedAt: 0,
});

const step = fc.record({
  list: fc.nat(),
  id: fc.nat({ max: 50 }).map((number) => `t${number}`),
  status: fc.constantFrom("pending", "completed", "failed"),
});

test("a call keeps its place, and lists that part ways know nothing of each other's calls", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const made = [{ list: ToolList.of([]), tools: new Map<string, ToolView>() }];
      for (const { list: from, id, status } of steps) {
        const before = made[from % made.length];
        if (!before) return;
        const next = tool(id, status);
        made.push({
          list: before.list.set(next),
          tools: new Map(before.tools).set(id, next),
        });
      }
      for (const { list, tools } of made) {
        expect([...list]).toEqual([...tools.values()]);
        for (let number = 0; number <= 50; number++) {
          expect(list.get(`t${number}`)).toBe(tools.get(`t${number}`));
        }
      }
    }),
  );
});
