import { hasTexts } from '../use-draft.ts'

/** Questions in the spirit of StoryCorps; a tap adds one to the story as a small heading. */
export const PROMPTS = [
  'Where were they born, and to whom?',
  'What work did they do with their hands?',
  'What did they cook, sing, grow or mend?',
  'What did they always say?',
  'Who did they raise?',
  'What would they want the young ones to know?',
] as const

/** Plain text of the story's HTML, to check whether there is any and how long it is. */
export function storyText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/&(?:lt|gt|amp|quot|#39);/gu, '.')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

/** A question as the editor writes it, with empty paragraphs up to the next heading or the end. */
const OPEN_QUESTION = /<h3>([^<]*)<\/h3>(?:<p>(?:\s|&nbsp;|<br>)*<\/p>)*(?=<h[23]>|$)/gu
const QUESTIONS: ReadonlySet<string> = new Set(PROMPTS)

/** The story without {@link PROMPTS} that have no answer yet: visitors would see a bare heading. Empty if no text is left. */
export function withoutOpenQuestions(html: string): string {
  const answered = html.replaceAll(OPEN_QUESTION, (found, question: string) =>
    QUESTIONS.has(question) ? '' : found,
  )
  return storyText(answered) === '' ? '' : answered
}

/** The current story, and the saved story it started from (`base`), to detect changes by somebody else. */
export type Story = { html: string; base: string }

export function storyDraftOf(lifeStory: string | null | undefined): Story {
  return { html: lifeStory ?? '', base: lifeStory ?? '' }
}

/** Whether a draft read from this device has the shape of {@link Story}. */
export function isStory(values: unknown): values is Story {
  return hasTexts(values, ['html', 'base'])
}
