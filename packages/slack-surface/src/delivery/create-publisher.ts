import { NativeStreamPublisher, type StreamOutcome } from "../publish/native-stream.ts";
import { PostEditPublisher } from "../publish/post-edit.ts";
import type { Publication, PublishedState } from "../publish/publication.ts";
import type { StreamSlots } from "../publish/stream-slots.ts";
import type { SlackWorkspace } from "../workspace.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** Shows one stretch of a turn. */
export interface TurnPublisher extends Disposable {
  readonly state: PublishedState;
  write(publication: Publication): void;
  /** Takes away what may vanish, and ends what is live, as soon as may be. */
  rest(): void;
  finish(text: string): Promise<StreamOutcome>;
}

/** Words by which the platform says that streams are not to be had in a place. */
const lacking: ReadonlySet<string> = new Set([
  "channel_type_not_supported",
  "feature_disabled",
  "missing_recipient_team_id",
  "missing_recipient_user_id",
  "not_authorized",
  "team_access_not_granted",
  "unknown_method",
  "user_not_found",
]);

/** Whether a turn is shown as native streams: one person reads along, and the platform has not refused it of late. */
export function usesStreams(workspace: SlackWorkspace, place: ThreadPlace): boolean {
  const { hasAgentView, demotions, clock } = workspace;
  if (!place.isDirect || !hasAgentView || place.thread === undefined) return false;
  return !demotions.has(place.channel, clock.now());
}

export type PublisherRequest = {
  readonly place: ThreadPlace;
  readonly marker: string;
  readonly state: PublishedState;
  readonly onState: (state: PublishedState) => void;
  /** The person whose turn it is, and their own workspace. */
  readonly recipient: { readonly user: string; readonly team: string };
  readonly usesStreams: boolean;
  readonly slots: StreamSlots;
  /** Asked for each message that shows a tail. */
  readonly stops: () => string | undefined;
  readonly onGiveUp: (error: string) => void;
  /** A stream has ended without being stopped. */
  readonly onLost: () => void;
};

export function createPublisher(
  workspace: SlackWorkspace,
  request: PublisherRequest,
): TurnPublisher {
  const { queue, clock, identity, demotions, renderer } = workspace;
  const { place, recipient, slots, ...rest } = request;
  const { channel, thread } = place;
  const shared = {
    ...rest,
    ...{ queue, clock, botId: identity.botId, channel },
    mrkdwn: (markdown: string) => renderer.mrkdwn(markdown),
    findEmphasis: renderer.findEmphasis,
  };
  // What was begun as a stream has to be ended as one.
  const isStream = rest.usesStreams || rest.state.stream !== undefined || rest.state.starting;
  if (!isStream || thread === undefined) {
    return new PostEditPublisher({ ...shared, thread });
  }
  return new NativeStreamPublisher({
    ...shared,
    thread,
    slots,
    recipient,
    onRefused: (error) => {
      if (lacking.has(error)) demotions.add(channel, clock.now());
    },
  });
}
