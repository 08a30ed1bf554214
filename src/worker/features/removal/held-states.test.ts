import { expect, test } from 'vitest'
import type { CommentPage } from '#shared/comments/comments.ts'
import type { MediaPage } from '#shared/media/media.ts'
import type { HeldColumns } from '#worker/access/held.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { Client, signedIn } from '../../../../test/worker/harness.ts'
import { holding, NOTHING, seenBy, SEEN, WORDS } from '../../../../test/worker/held-stage.ts'
import { download } from '../../../../test/worker/exported.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

/** What editors may open by its id for the queue, but don't come upon in any list. */
const IN_QUEUE_ONLY = { ...NOTHING, from: 200, stream: 200, like: 200 }

const WAITS = [true, undefined]
/** To the author it looks as if everybody saw it. */
const UNNOTICED = [undefined, undefined]
const STATES: [string, Partial<HeldColumns>, typeof NOTHING, (boolean | undefined)[]][] = [
  ['waits', { heldAs: 'WAITING' }, SEEN, WAITS],
  ['may hurt', { heldAs: 'MAY_HURT', heldReason: 'WORDS' }, IN_QUEUE_ONLY, WAITS],
  ['was reported', { heldAs: 'MAY_HURT', heldReason: 'REPORTS' }, IN_QUEUE_ONLY, UNNOTICED],
  ['was declined', { heldAs: 'DECLINED' }, IN_QUEUE_ONLY, WAITS],
  ['was blocked', { heldAs: 'BLOCKED' }, IN_QUEUE_ONLY, UNNOTICED],
  ['was blocked unread', { heldAs: 'BLOCKED_UNREAD' }, IN_QUEUE_ONLY, WAITS],
]

test.each(STATES)(
  'only its author, as before, and editors, where they decide, see what %s',
  { tags: ['reason-for-editors', 'block-unnoticed', 'reports-unnoticed'] },
  async (_, columns, byEditors, asAuthor) => {
    const stage = await holding()
    const { owner, path, relative, cousin, memorial, photo, message } = stage
    await changeRows(media, { id: photo.id }, columns)
    await changeRows(comments, { id: message.id }, columns)
    const admin = await signedIn({ admin: true })
    const stranger = await signedIn()
    const byOthers = async (people: Client[]) => {
      for (const person of people) expect(await seenBy(person, stage)).toEqual(NOTHING)
    }
    await byOthers([cousin])
    expect(await seenBy(relative, stage)).toEqual(SEEN)
    const lists = [
      (await relative.get<MediaPage>(`${path}/media`)).body.media,
      (await relative.get<CommentPage>(`${path}/comments`)).body.comments,
    ]
    const fields = lists.flat().map(({ isHeld, heldReason }) => [isHeld, heldReason])
    expect(fields).toEqual([asAuthor, asAuthor])
    for (const editor of [owner, admin]) expect(await seenBy(editor, stage)).toEqual(byEditors)
    const [dashboard] = (await owner.get('/api/dashboard')).body.memorials
    expect(dashboard).toMatchObject({ mediaCount: 0, commentCount: 0 })
    const exported = await download(owner, memorial.id)
    expect(exported.names.filter((name) => name.includes('photo'))).toEqual([])
    for (const name of exported.names) expect(exported.text(name)).not.toContain(WORDS)

    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    await byOthers([stranger, new Client(), cousin])
    expect((await seenBy(relative, stage)).comments).toBe(1)
  },
)
