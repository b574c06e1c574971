/** A whole HTTP answer. Also a `ResponseInit`: `new Response(answer.body, answer)`. */
export type HttpAnswer = {
  /** 401 key (checked first), 400 not a JSON object with a `type`, 501 unknown `type`, else 200. */
  status: 200 | 400 | 401 | 501;
  headers: Record<string, string>;
  body: string;
};

const JSON_TYPE = { "content-type": "application/json" };

export function createJsonAnswer(json: object): HttpAnswer {
  return { status: 200, headers: { ...JSON_TYPE }, body: JSON.stringify(json) };
}

/** The body has the shape that Poe's own server library answers with. */
export function createRefusal(
  status: 400 | 401 | 501,
  detail: string,
  headers: Record<string, string> = {},
): HttpAnswer {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ detail }) };
}
