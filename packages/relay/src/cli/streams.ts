/** Where a command writes: results for people, and logs and errors. */
export type Streams = {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
};
