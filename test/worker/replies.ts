import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import type { Reply } from '#shared/replies/replies.ts'
import { newEmail } from './accounts.ts'
import { Client, memorialOf } from './harness.ts'
import { mailboxOf } from './mailbox.ts'

/** A memorial with a burial in 2031 that takes replies. `replies` is the path of them. */
export async function gatheringOf(fields: object = {}, privacy: Privacy = 'LOCKED') {
  const { owner, memorial, path } = await memorialOf({ privacy })
  const input = { kind: 'BURIAL', dateTime: '2031-06-06T10:00', takesReplies: true, ...fields }
  const { body: event } = await owner.post<FuneralEvent>(`${path}/funeral-events`, input)
  const eventPath = `${path}/funeral-events/${event.id}`
  const change = async (changes: object) => owner.patch(eventPath, changes)
  const counts = async () => (await owner.get(`${path}/replies`)).body.counts[0]
  return { owner, memorial, path, event, eventPath, replies: `${eventPath}/replies`, change, counts }
}

export const coming = (fields: object = {}) => ({ answer: 'COMING', name: 'Farai', ...fields })

/** Somebody who said that they come, in their own browser. */
export async function replied(
  replies: string,
  fields: object = {},
  client = new Client(),
): Promise<{ client: Client; reply: Reply; address: string }> {
  const { status, body } = await client.post(replies, coming(fields))
  if (status !== 201) throw new Error(`no reply: ${JSON.stringify(body)}`)
  return { client, reply: body.reply, address: `/api/replies/${body.reply.id}` }
}

/** Somebody who gave an address, and the call of the link that they got. */
export async function repliedByMail(replies: string, fields: object = {}) {
  const email = newEmail()
  const made = await replied(replies, { email, ...fields })
  const [mail] = await mailboxOf(email, 1)
  return { ...made, email, mail, link: linkIn(mail?.text) }
}

/** The call that the link in a mail leads to. */
export function linkIn(text = ''): string {
  return `/api/replies/${/\/reply\/(\S+)/u.exec(text)?.[1]}`
}
