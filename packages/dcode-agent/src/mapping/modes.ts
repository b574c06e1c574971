import type { KnownConfigOption, SessionMode, SessionModeState } from "@acp-kit/acp-wire";
import { Mode } from "@acp-kit/dcode-protocol";

/** Stands for a sandbox and an approval policy that no mode of dcode's is made of. */
export const CUSTOM_MODE = "custom";
/** Id of the config option that says the mode once more, for clients that know no modes. */
export const MODE_OPTION = "mode";

const listed: readonly SessionMode[] = [
  { id: Mode.plan, name: "Plan", description: "Reads only, and never asks" },
  {
    id: Mode.assist,
    name: "Assist",
    description: "Writes in the workspace, and asks at its border",
  },
  { id: Mode.auto, name: "Auto", description: "Full access, and asks where a rule says so" },
];
const custom: SessionMode = {
  id: CUSTOM_MODE,
  name: "Custom",
  description: "What the daemon is configured for",
};

/** The modes of a session that is in `mode`; the empty one, which is none, is listed while it lasts. */
export function modeState(mode: string): SessionModeState {
  const known = listed.some(({ id }) => id === mode);
  return {
    currentModeId: known ? mode : CUSTOM_MODE,
    availableModes: known ? [...listed] : [...listed, custom],
  };
}

/** The same as a config option. */
export function modeOption(mode: string): KnownConfigOption {
  const { currentModeId, availableModes } = modeState(mode);
  return {
    id: MODE_OPTION,
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: currentModeId,
    options: availableModes.map(({ id, name, description = "" }) => ({
      value: id,
      name,
      description,
    })),
  };
}
