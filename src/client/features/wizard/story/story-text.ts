/** Questions in the StoryCorps spirit: a tap puts one into the story as a small heading. */
export const PROMPTS = [
  'Where were they born, and to whom?',
  'What work did they do with their hands?',
  'What did they cook, sing, grow or mend?',
  'What did they always say?',
  'Who did they raise?',
  'What would they want the young ones to know?',
] as const

/** The words of a story's HTML, for telling whether there are any and how many. */
export function storyText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/&(?:lt|gt|amp|quot|#39);/gu, '.')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}
