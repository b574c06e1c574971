import { z } from "zod";

/** Names in the environment of the tool server: the relay's socket, the session's token, the tools that it has. */
export const DOOR_ENV = {
  socket: "ACP_KIT_DOOR_SOCKET",
  token: "ACP_KIT_DOOR_TOKEN",
  tools: "ACP_KIT_DOOR_TOOLS",
} as const;

/** Beside the socket of the process that made a session: that of the relay's newest process. */
export const CURRENT_SOCKET = "current";

/** Longest request to the door, in bytes. */
export const MAX_REQUEST_BYTES = 64 * 1024;

const text = (what: string) => z.string().min(1).max(4_096).describe(what);

/**
 * The tools of a session and what each takes. None names a conversation: the token does. None answers a question or
 * changes what is allowed.
 */
export const doorTools = {
  attach: {
    title: "Attach a file to the chat",
    description:
      "Shows a file of the workspace to the people in this chat. Takes regular files inside the workspace; secrets and git's own files are refused.",
    input: z.strictObject({
      path: text("Path of the file, absolute or relative to the workspace."),
      name: text("What the file is called in the chat. Default: its own name.")
        .max(255)
        .exactOptional(),
    }),
  },
  status: {
    title: "Look at this chat",
    description: "Tells which agent, project and turn this session is in, as JSON.",
    input: z.strictObject({}),
  },
  set_model: {
    title: "Choose the model",
    description:
      "Chooses the model for the turns to come, among those that the person who asked may choose.",
    input: z.strictObject({ model: text("The model's id.").max(200) }),
  },
} as const;

export type DoorTool = keyof typeof doorTools;

export const DOOR_TOOLS = Object.keys(doorTools) as readonly DoorTool[];

export type DoorInput<Tool extends DoorTool> = z.output<(typeof doorTools)[Tool]["input"]>;

/** What a tool tells the agent: a sentence, or JSON. */
export type DoorReply = { readonly text: string; readonly isError?: boolean };
