/** Opens every question of the relay. Agent text never shows it outside of code: there it becomes a plain `?`. */
export const QUESTION_MARK = "❓";

/** The mark and what looks like it. */
export const QUESTION_MARKS = "❓❔";
