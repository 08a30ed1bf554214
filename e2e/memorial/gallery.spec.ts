import type { Page } from '@playwright/test'
import type { D1Database } from '@cloudflare/workers-types'
import { expect, type Family, test } from '../family.ts'
import { expectDrawn, expectNoSidewaysScroll, expectToast } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

/** Creates a public memorial with one photo. */
async function publicPhoto(family: Family) {
  const memorial = await family.memorial()
  const photo = await family.addPhoto(memorial.id)
  await family.setPrivacy(memorial.id, 'LOCKED')
  return { memorial, photo }
}

/** Adds copies of the existing photo. Returns their ids, newest first. */
async function copies(db: D1Database, id: string, count: number): Promise<string[]> {
  await db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO media (id, memorial_id, type, mime_type, size, width, height, original_file_name, object_key, has_thumbnail, created_at)
       SELECT id || substr('00' || n.i, -3), memorial_id, type, mime_type, size, width, height, original_file_name, object_key, has_thumbnail, created_at + n.i
       FROM media, n WHERE id = ?1`,
    )
    .bind(id, count)
    .run()
  const ids = Array.from({ length: count }, (_, at) => `${id}${String(at + 1).padStart(3, '0')}`)
  return [id, ...ids].toReversed()
}

/** A horizontal swipe over the middle of the screen. */
async function swipe(page: Page, byPx: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const from = 180 - byPx / 2
  const at = (share: number) => [{ x: from + byPx * share, y: 300 }]
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) })
  for (const share of [0.25, 0.5, 0.75, 1]) {
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(share) })
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test('a link to a photo far down opens it with its position and both neighbours', async ({ family }) => {
  const { memorial, photo } = await publicPhoto(family)
  const ids = await copies(family.world.db, photo.id, 299)
  const page = await family.visitorPage(360)
  const requested: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/media')) requested.push([...searchParams.keys()].join())
  })
  await page.goto(`/m/${memorial.slug}?photo=${ids[199]}`)
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer).toContainText('200 of 300')
  expect(requested).toEqual(['type,from'])
  await viewer.getByRole('button', { name: 'Previous' }).click()
  await expect(viewer).toContainText('199 of 300')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(viewer).toContainText('201 of 300')
  await expect.poll(() => requested).toEqual(['type,from', 'type,newer'])
  await expect(page).toHaveURL(new RegExp(`photo=${ids[200]}$`, 'u'))
})

test('Next continues past the loaded photos, and thumbnails load page by page', async ({ world, family }) => {
  const { memorial, photo } = await publicPhoto(family)
  const ids = await copies(world.db, photo.id, 129)
  const page = await family.visitorPage(360, `/m/${memorial.slug}?photo=${ids[59]}`)
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer).toContainText('60 of 130')
  await viewer.getByRole('button', { name: 'Next' }).click()
  await expect(viewer).toContainText('61 of 130')
  await page.keyboard.press('Escape')
  await expect(page.locator(`#photo-${ids[60]}`)).toBeFocused()
  await expect(page.getByText('120 of 130 photos shown')).toBeVisible()
  await page.getByRole('button', { name: 'Show more photos' }).click()
  await expect(page.getByText('130 of 130 photos shown')).toBeVisible()
  await expect(page.locator(`#photo-${ids[120]}`)).toBeFocused()
})

test('a link to a deleted photo says so, shows the page and cleans the URL', async ({ family }) => {
  const memorial = await family.memorial()
  await family.addPhoto(memorial.id)
  await family.setPrivacy(memorial.id, 'LOCKED')
  const page = await family.visitorPage(360)
  expectErrors(refusedWith(404))
  // The notification can be gone before everything has loaded.
  await page.goto(`/m/${memorial.slug}?photo=med_gone`, { waitUntil: 'commit' })
  await expectToast(page, 'This photo has been removed')
  await expect(page).toHaveURL(`/m/${memorial.slug}`)
  await expect(page.getByRole('dialog', { name: 'Photo' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Photo 1 of 1, added by the family' })).toBeVisible()
})

test('a swipe opens the next or previous photo, but not while the photo is enlarged', async ({ family }) => {
  const { memorial, photo } = await publicPhoto(family)
  await copies(family.world.db, photo.id, 2)
  const page = await family.visitorPage(360, `/m/${memorial.slug}?photo=${photo.id}`)
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer).toContainText('3 of 3')
  await expectDrawn(viewer.getByRole('img'))
  await swipe(page, 200)
  await expect(viewer).toContainText('2 of 3')
  await swipe(page, -200)
  await expect(viewer).toContainText('3 of 3')
  const session = await page.context().newCDPSession(page)
  await session.send('Input.synthesizePinchGesture', { x: 180, y: 300, scaleFactor: 2 })
  await expect.poll(() => page.evaluate(() => window.visualViewport?.scale)).toBeGreaterThan(1.5)
  await swipe(page, 200)
  await expect(viewer).toContainText('3 of 3')
})

test('photos that were removed have names that differ, also without captions', async ({ family }) => {
  const memorial = await family.memorial()
  for (const photo of [await family.addPhoto(memorial.id), await family.addPhoto(memorial.id)])
    await family.owner.call('DELETE', `/api/media/${photo.id}`)
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const buttons = page.getByRole('region', { name: 'Removed' }).getByRole('button', { name: /^Restore/u })
  await expect(buttons).toHaveCount(2)
  const names = await buttons.evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')))
  for (const name of names)
    expect(name).toMatch(/^Restore: Photo added by the family, \d+ \w+ \d{4}, \d\d:\d\d/u)
  expect(new Set(names).size).toBe(2)
  await expectNoSidewaysScroll(page)
})
