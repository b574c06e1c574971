import { type ConversationLog, type Cursor, type LogEvent, RouterError } from "@acp-kit/router";
import { expect, test } from "vitest";
import { Place } from "../src/place.ts";

const said = (seq: number): LogEvent => ({ kind: "text", text: "x", seq, at: 0, turn: "t-1" });

/** A log whose cursors each give one of these answers, in the order in which they are asked for. */
function logThat(...answers: (readonly LogEvent[] | RouterError)[]) {
  const followed: number[] = [];
  const follow = ({ after }: { after: number }) => {
    followed.push(after);
    return {
      async next() {
        const answer = answers.shift();
        if (answer instanceof RouterError) throw answer;
        return answer;
      },
      async [Symbol.asyncDispose]() {},
    } as Partial<Cursor>;
  };
  return { log: { follow } as unknown as ConversationLog, followed };
}

test("behind a gap it goes on with the first events that are kept, and tells of the gap once", async () => {
  const { log, followed } = logThat(
    new RouterError("gone", { code: "expired", first: 40 }),
    [said(40)],
    [said(41)],
  );
  await using place = new Place(log, 3, "t-1");
  expect(await place.next()).toEqual([said(40)]);
  expect(followed).toEqual([3, 39]);
  expect([place.takeLost(), place.takeLost()]).toEqual([true, false]);
  expect(await place.next()).toEqual([said(41)]);
  expect(place.takeLost()).toBe(false);
});

test("a turn whose log has been erased has ended there; a place without an end goes on with what comes", async () => {
  const ahead = () => new RouterError("gone", { code: "ahead", last: 0 });
  await using place = new Place(logThat(ahead()).log, 41, "t-1");
  expect(await place.next()).toBeUndefined();
  expect(place.takeLost()).toBe(true);
  const { log, followed } = logThat(ahead(), [said(1)]);
  await using open = new Place(log, 41, undefined);
  expect(await open.next()).toEqual([said(1)]);
  expect(followed).toEqual([41, 0]);
});
