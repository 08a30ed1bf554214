/** The allow-list of a life story. The sanitiser enforces it, and pages check it again when they render. */
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
/** Stories nested deeper than this are refused. */
export const STORY_LEVELS_MAX = 32

/** A life story as a tree of text and elements. Code that renders it must check the allow-list. */
export type StoryNode = string | { tag: string; href: string | null; children: StoryNode[] }
