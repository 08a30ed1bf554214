import { readFileSync } from 'node:fs'
import type { FuneralEvent } from '../../src/shared/funeral/funeral.ts'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, type Family, test } from '../family.ts'
import { saved } from '../people.ts'
import { readerIn } from '../qr-reader.ts'

/** A public memorial with a wake and a burial that are ahead. */
async function announcedBy(family: Family): Promise<{ memorial: Memorial; burial: FuneralEvent }> {
  const memorial = await family.memorial()
  const path = `/api/memorials/${memorial.id}/funeral-events`
  const place = { venueName: 'Yeovil Cemetery', city: 'Mutare' }
  await family.owner.call('POST', path, { kind: 'WAKE', dateTime: '2036-06-05T18:00' })
  const burial = await family.owner.call<FuneralEvent>('POST', path, {
    kind: 'BURIAL',
    dateTime: '2036-06-06T10:00',
    ...place,
  })
  return { memorial: await family.setPrivacy(memorial.id, 'LOCKED'), burial }
}

for (const width of [360, 1280]) {
  test(`an owner forwards the announcement as picture and text at ${width} px`, async ({ family }) => {
    const { memorial } = await announcedBy(family)
    const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'A card to forward' }).click()
    const dialog = page.getByRole('dialog')
    const picture = dialog.getByRole('img', { name: 'Burial' })
    await expect(picture).toBeVisible()
    await expectAccessible(page, 'the card to forward', [width])

    await dialog.getByRole('radio', { name: 'For a status' }).check()
    await expect(picture).toHaveAttribute('height', '1920')
    await dialog.getByRole('radio', { name: 'For a chat' }).check()
    await dialog.getByLabel('What it shows').selectOption('Burial')
    await expect(dialog.getByRole('img', { name: 'Wake' })).toBeHidden()
    await expect(picture).toBeVisible()

    const press = dialog.getByRole('button', { name: 'Save the picture' }).click()
    const download = await saved(page, press)
    const bytes = readFileSync(await download.path())
    expect([download.suggestedFilename(), bytes.length < 250_000]).toEqual([`${memorial.slug}.jpg`, true])
    const read = await readerIn(page.context())
    const address = `${family.world.url}/m/${memorial.slug}`
    // Half as wide, as on a small phone.
    const codes = [await read('image/jpeg', bytes), await read('image/jpeg', bytes, { width: 540 })]
    expect(codes.map(({ text }) => text)).toEqual([address, address])

    await page.bringToFront()
    await dialog.getByRole('button', { name: 'Copy the text' }).click()
    const text = `*Sekai Ndlovu*
9 January 1931 – 30 October 2026

Burial
Friday 6 June 2036, 10:00, Harare time
Yeovil Cemetery, Mutare

Times can change. What’s true now is here:
${address}`
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(text)
    const whatsApp = dialog.getByRole('link', { name: 'Share on WhatsApp' })
    expect(new URL((await whatsApp.getAttribute('href')) ?? '').searchParams.get('text')).toBe(text)
  })
}

test('a phone that can share files shares the newest picture with its text', async ({ family }) => {
  const { memorial, burial } = await announcedBy(family)
  const page = await family.ownerPage(360)
  const shared: { name: string; type: string; size: number; text: string }[] = []
  await page.exposeFunction('noteShared', (data: (typeof shared)[number]) => shared.push(data))
  await page.addInitScript(() => {
    Object.assign(navigator, {
      canShare: ({ files }: ShareData) => (files?.length ?? 0) > 0,
      share: async ({ files, text }: ShareData) => {
        const [file] = files ?? []
        const note = (globalThis as unknown as { noteShared: (data: unknown) => Promise<void> }).noteShared
        await note({ name: file?.name, type: file?.type, size: file?.size, text })
      },
    })
  })
  await page.goto(`/memorial/${memorial.id}`)
  const dialog = page.getByRole('dialog')
  for (const dateTime of ['2036-06-06T10:00', '2036-06-06T11:00']) {
    await family.owner.call('PATCH', `/api/memorials/${memorial.id}/funeral-events/${burial.id}`, {
      dateTime,
    })
    await page.getByRole('button', { name: 'A card to forward' }).click()
    await dialog.getByRole('button', { name: 'Share on WhatsApp' }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
  }
  await expect.poll(() => shared.length).toBe(2)
  expect(
    shared.map(({ name, type, text }) => [name, type, /\d\d:00, Harare time\nYeovil/u.exec(text)?.[0]]),
  ).toEqual([
    [`${memorial.slug}.jpg`, 'image/jpeg', '10:00, Harare time\nYeovil'],
    [`${memorial.slug}.jpg`, 'image/jpeg', '11:00, Harare time\nYeovil'],
  ])
  expect(new Set(shared.map(({ size }) => size)).size).toBe(2)
})
