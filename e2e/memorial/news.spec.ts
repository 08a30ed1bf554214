import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessible.ts'
import { files } from '../files.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll } from '../people.ts'

/** What marks one new thing. */
const badges = (page: Page) => page.getByText('New', { exact: true })
const TUESDAY = Date.UTC(2026, 0, 6, 9)

for (const width of [360, 1280]) {
  test(`the owner is led once to what others added, on any device, at ${width} px`, async ({
    world,
    family,
  }) => {
    const { memorial, token } = await family.invited()
    const path = `/api/memorials/${memorial.id}`
    const farai = await family.relative(token, 'Farai Chikomo')
    await farai.call('POST', `${path}/comments`, { body: 'Rest well.' })
    const page = await family.ownerPage(width)
    const news = (line: string) => page.getByText(line)
    const anyNews = page.getByText(/\d+ new things?/u)

    const looked = page.waitForResponse((answer) => answer.url().endsWith('/seen'))
    await page.goto(`/memorial/${memorial.id}`)
    expect((await looked).status(), 'the first visit').toBe(204)
    await expect(page.getByText('Rest well.')).toBeVisible()
    await expect(anyNews).toHaveCount(0)

    await world.db.prepare('UPDATE memorials SET seen_at = ? WHERE id = ?').bind(TUESDAY, memorial.id).run()
    await farai.upload(`${path}/media/upload`, files.photoOfRelative, 'image/jpeg', { type: 'IMAGE' })
    const chipo = await family.relative(token, 'Chipo Dube')
    await chipo.call('POST', `${path}/comments`, { body: 'Thank you, aunt.' })
    await family.owner.call('POST', `${path}/comments`, { body: 'Thank you all.' })

    await page.goto('/dashboard')
    const line = '3 new things from 2 people since 6 January 2026'
    await expect(page.getByRole('article').filter({ has: news(line) })).toContainText(
      memorial.honoureeFullName,
    )
    await expectNoSidewaysScroll(page)
    const seen = page.waitForResponse((answer) => answer.url().endsWith('/seen'))
    await expect(page.getByRole('button', { name: 'Send it to the family' })).toBeVisible()
    await page.getByRole('link', { name: `See what is new: ${memorial.honoureeFullName}` }).click()
    // The photo or a message, whichever has loaded first.
    const focused = page.locator(':focus')
    const item = page.getByRole('listitem').filter({ has: badges(page) })
    await expect(item.filter({ has: focused }).or(item.and(focused))).toBeInViewport()
    await seen
    await expect(page.getByText('Thank you all.')).toBeVisible()
    await expect(badges(page), 'all but her own').toHaveCount(3)
    const photo = page.getByRole('link', { name: 'Photo 1 of 1, added by Farai Chikomo (new)' })
    await page.getByRole('link', { name: line }).click()
    await expect(photo).toBeInViewport()
    await expect(photo).toBeFocused()
    await expectAccessible(page, 'new things', [width])
    await page.goBack()
    await expect(page.getByRole('article')).toHaveCount(1)
    await expect(anyNews).toHaveCount(0)

    // Another device of the owner.
    const other = await family.ownerPage(width, `/memorial/${memorial.id}`)
    await expect(other.getByText('Thank you all.')).toBeVisible()
    await expect(other.getByText(/\d+ new things?/u)).toHaveCount(0)
    await expect(badges(other)).toHaveCount(0)
  })
}

test('names stand under the photos, and the gallery can show what one person added', async ({ family }) => {
  const { memorial, token } = await family.invited()
  const path = `/api/memorials/${memorial.id}/media/upload`
  await family.addPhoto(memorial.id)
  const farai = await family.relative(token, 'Farai Chikomo')
  await farai.upload(path, files.photoOfRelative, 'image/jpeg', { type: 'IMAGE' })
  await farai.upload(path, files.voiceNote, 'audio/ogg', { type: 'AUDIO' })
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const photos = page.getByRole('link', { name: /^Photo \d+ of/u })
  const gallery = page.getByRole('region', { name: 'Gallery' })
  await expect(photos).toHaveCount(2)
  await expect(gallery.getByRole('listitem').filter({ has: photos }).first()).toHaveText('Farai Chikomo')

  const filter = gallery.getByLabel('Added by', { exact: true })
  await expect(filter.getByRole('option')).toHaveText(['Everyone', 'The family', 'Farai Chikomo'])
  await filter.selectOption('Farai Chikomo')
  await expect(photos).toHaveCount(1)
  await expect(photos).toHaveAccessibleName('Photo 1 of 1, added by Farai Chikomo')
  await expect(gallery.getByText('Recording by Farai Chikomo')).toBeVisible()
  await filter.selectOption('The family')
  await expect(photos).toHaveAccessibleName('Photo 1 of 1, added by the family')
  await expect(gallery.getByText('Recording by Farai Chikomo')).toHaveCount(0)
  await filter.selectOption('Everyone')
  await expect(photos).toHaveCount(2)

  await expect(badges(page), 'nothing is new on the first visit').toHaveCount(0)

  await family.setPrivacy(memorial.id, 'LOCKED')
  const visitor = await family.visitorPage(360, `/m/${memorial.slug}`)
  const squares = visitor.getByRole('region', { name: 'Gallery' }).getByRole('listitem')
  await expect(squares.first()).toHaveText('Farai Chikomo')
  await expect(visitor.getByLabel('Added by', { exact: true })).toHaveCount(0)
})
