import type { Page } from '@playwright/test'
import type { FuneralEvent } from '../src/shared/funeral/funeral.ts'
import type { Memorial } from '../src/shared/memorials/memorials.ts'
import type { Reply, ReplyPage } from '../src/shared/replies/replies.ts'
import type { Family } from './family.ts'

const BURIAL = {
  kind: 'BURIAL',
  dateTime: '2031-06-07T10:00',
  venueName: 'Sakubva Cemetery',
  takesReplies: true,
}

type Input = Partial<Omit<FuneralEvent, 'id'>> & { capacity?: number }

export const addGathering = (family: Family, { id }: Memorial, more: Input = {}): Promise<FuneralEvent> =>
  family.owner.call('POST', `/api/memorials/${id}/funeral-events`, { ...BURIAL, ...more })

/** A public memorial with a burial to which people can reply. */
export async function publicBurial(family: Family, more: Input = {}) {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  return { memorial, burial: await addGathering(family, memorial, more) }
}

export const repliesTo = async (family: Family, { id }: Memorial, event: FuneralEvent): Promise<Reply[]> =>
  (await family.owner.call<ReplyPage>('GET', `/api/memorials/${id}/funeral-events/${event.id}/replies`))
    .replies

/** What the family reads of replies, without ids and times. */
export const told = (replies: Reply[]) =>
  replies.map(({ name, answer, people, words, email }) => ({ name, answer, people, words, email }))

/** The form that is open: each is in a part of its own. */
export const opened = (page: Page) => page.locator('details[open] > form')

export async function reply(page: Page, name: string, answer: string, people?: string): Promise<void> {
  const form = opened(page)
  await form.getByRole('radio', { name: answer }).check()
  if (people !== undefined) await form.getByLabel('How many of you are coming?').fill(people)
  await form.getByLabel('Your name').fill(name)
}

export const send = (page: Page) => opened(page).getByRole('button', { name: 'Send to the family' }).click()
export const open = (page: Page, title: string | RegExp) =>
  page.locator('summary').filter({ hasText: title }).click()
