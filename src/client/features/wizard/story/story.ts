import { hasTexts } from '../use-draft.ts'

/** The current story, and the saved story it started from (`base`), to detect changes by somebody else. */
export type Story = { html: string; base: string }

/** Initial editor values for the saved story. */
export function storyDraftOf(lifeStory: string | null | undefined): Story {
  return { html: lifeStory ?? '', base: lifeStory ?? '' }
}

/** Whether a draft read from this device has the shape of {@link Story}. */
export function isStory(values: unknown): values is Story {
  return hasTexts(values, ['html', 'base'])
}
