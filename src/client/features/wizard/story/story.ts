import { hasTexts } from '../use-draft.ts'

/** The story as written, and the saved story it was begun from, to notice that somebody else changed it meanwhile. */
export type Story = { html: string; base: string }

/** The saved story as the editor begins with it. */
export function storyDraftOf(lifeStory: string | null | undefined): Story {
  return { html: lifeStory ?? '', base: lifeStory ?? '' }
}

/** True when a draft of this device has the shape of {@link Story}. */
export function isStory(values: unknown): values is Story {
  return hasTexts(values, ['html', 'base'])
}
