/** What the intake itself says, as Markdown for the renderer's `say`. */
export const words = {
  nothingRuns: "Nothing is running here.",
  notYours: "Only the person whose message that is, or an approver, can do this.",
  approversOnly: "Only an approver can choose that.",
  noQuestion: "No question is open here.",
  manyQuestions: "Several questions are open. Use the buttons of the one that you mean.",
  useButtons: "Use the buttons of the question.",
  tooLate: "That question has ended; your answer came too late and was not passed on.",
  gone: "That is over.",
  emptyMessage: "Your message is empty. Write what you would like to have done.",
  queueFull: "Too many messages wait in this conversation. Let some of them be answered first.",
  allShown: "All there is stands above, and the rest comes here by itself.",
  deleteYours: "Delete your message: what stands in it is for the login alone.",
  failed: (reference: string) => `Something went wrong in this bot (ref ${reference}).`,
} as const;
