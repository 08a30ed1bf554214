/** What people answer: they come, they take part from afar, or they can't. */
export const REPLY_ANSWERS = ['COMING', 'AFAR', 'SORRY'] as const
export type ReplyAnswer = (typeof REPLY_ANSWERS)[number]
