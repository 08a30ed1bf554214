import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { Client, invited, signedIn } from '../../../../test/worker/harness.ts'
import { auditOf } from '../../../../test/worker/rows.ts'

test(
  'everybody sees the family’s thanks beside a message until they are taken back',
  { tags: ['thanks-by-editors'] },
  async () => {
    const { owner, path, relative, memorial } = await invited()
    const { comment } = (await relative.post<{ comment: Comment }>(`${path}/comments`, { body: 'Rest well' }))
      .body
    const thank = (client: Client, isThanked: boolean, id = comment.id) =>
      client.post(`/api/comments/${id}/thanks`, { isThanked })
    expect((await thank(relative, true)).status).toBe(403)
    const thanked = await thank(owner, true)
    expect([thanked.status, thanked.body.comment.isThanked]).toEqual([200, true])
    expect((await thank(owner, true)).status).toBe(200)
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    const seen = async (client: Client) =>
      (await client.get<CommentPage>(`${path}/comments`)).body.comments.map(({ isThanked }) => isThanked)
    const page = async () => (await new Client().fetch(`/m/${memorial.slug}`)).text()
    for (const client of [relative, new Client()]) expect(await seen(client)).toEqual([true])
    expect(await page()).toContain('With thanks from the family')

    const admin = await signedIn({ admin: true })
    expect((await thank(admin, false)).body.comment.isThanked).toBeUndefined()
    expect(await seen(new Client())).toEqual([undefined])
    expect(await page()).not.toContain('With thanks from the family')
    expect((await thank(admin, false)).status).toBe(200)
    expect(await auditOf({ memorialId: memorial.id, action: 'thank_message' }, 'targetId', 'detail')).toEqual(
      [{ targetId: comment.id, detail: { after: false } }],
    )
  },
)

test('nobody thanks for the family’s own messages', async () => {
  const { owner, path } = await invited()
  const own = (await owner.post(`${path}/comments`, { body: 'Thank you all' })).body.comment
  expect((await owner.post(`/api/comments/${own.id}/thanks`, { isThanked: true })).status).toBe(409)
})
