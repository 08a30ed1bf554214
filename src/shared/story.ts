/** The allow-list of a life story (server rules 4): what its sanitiser keeps, and what a page shows of it once more. */
export const STORY_ELEMENTS = [
  'p',
  'br',
  'h2',
  'h3',
  'strong',
  'em',
  'u',
  's',
  'blockquote',
  'ul',
  'ol',
  'li',
  'a',
] as const
/** Deeper stories are refused. */
export const STORY_LEVELS_MAX = 32

/** A life story as a tree: text, or an element. Whoever draws it goes by the allow-list. */
export type StoryNode = string | { tag: string; href: string | null; children: StoryNode[] }
