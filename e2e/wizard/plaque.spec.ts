import { readFileSync } from 'node:fs'
import type { Plaque } from '../../src/shared/memorials/plaque.ts'
import { readerIn } from '../qr-reader.ts'
import { TENDAI } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectDrawn, expectNoSidewaysScroll, expectToast, saved } from '../people.ts'

const PX_A_MM = 8
const CSS_PX_A_MM = 96 / 25.4
const SENTENCE = `${'She taught half of Mutare to read and the other half to sing, and '.repeat(3)}so on`

/** A plaque whose text and URL have the greatest or smallest possible length. */
const PLAQUES = [
  { what: 'the shortest text', name: 'Li', rest: {} },
  { what: 'usual text', name: 'Tendai Rudo Moyo', rest: { title: 'She taught half of Mutare to read.' } },
  {
    what: 'the longest text',
    name: 'Nomathemba Thandekile Sibongile Ndlovu-Mkhwananzi wokuzalwa eMatshobana kaMthwakazi Ndabaningi Zulu',
    rest: { title: SENTENCE.slice(0, 200) },
  },
  { what: 'the widest text', name: 'W'.repeat(100), rest: { title: 'Ẃ'.repeat(200) } },
  { what: 'letters that our font has not', name: 'Тендаи Рудо Мойо', rest: { title: 'Она учила читать.' } },
] as const

for (const { what, name, rest } of PLAQUES) {
  test(`a plaque with ${what} has a readable code and clear edge`, async ({ page, world, family }) => {
    const memorial = await family.draft({
      honoureeFullName: name,
      dateOfBirth: '1948-03-14',
      dateOfDeath: '2026-06-02',
      ...rest,
    })
    const plaque = await family.owner.call<Plaque>('GET', `/api/memorials/${memorial.id}/plaque`)
    const read = await readerIn(page.context())
    const image = Buffer.from(plaque.svg)
    const seen = await read('image/svg+xml', image, { width: 100 * PX_A_MM })
    expect([seen.width, seen.height]).toEqual([800, 1120])
    expect(seen.text).toBe(`${world.url}/m/${memorial.slug}`)
    expect(seen.errorCorrection).toBe('Q')
    // Corner positions are accurate to a pixel.
    expect(seen.code / PX_A_MM, 'millimetres').toBeGreaterThan(40 - 0.2)
    expect(seen.code / PX_A_MM, 'as it is said').toBeCloseTo(plaque.codeMm, 0)
    expect(plaque.codeMm).toBeGreaterThanOrEqual(40)
    expect(seen.module / PX_A_MM, 'millimetres a module').toBeGreaterThan(1 - 0.02)
    expect(seen.quiet, 'modules of white').toBeGreaterThan(4 - 0.35)
    expect(seen.free / PX_A_MM, 'millimetres free').toBeGreaterThanOrEqual(5)
    // A weathered plaque, in bad light, out of focus. People move the phone until it reads: with some addresses the reader finds
    // no code at one distance.
    const worn: (string | null)[] = []
    for (const distance of [1, 0.95, 1.05]) {
      const width = 100 * PX_A_MM * distance
      worn.push((await read('image/svg+xml', image, { width, filter: 'contrast(30%) blur(2px)' })).text)
    }
    expect(worn).toContain(seen.text)
  })
}

test('the owner chooses, downloads and prints the plaque at actual size on one A4 page', async ({
  page,
  family,
}) => {
  const memorial = await family.memorial('PRIVATE', TENDAI)
  const link = `${family.world.url}/m/${memorial.slug}`
  await family.signIn(page)
  const read = await readerIn(page.context())
  await page.goto(`/create-memorial/${memorial.id}?step=3`)
  await page.getByRole('link', { name: 'Plaque for the grave' }).click()
  await expect(page).toHaveURL(`/memorial/${memorial.id}/plaque`)
  await expect(page.getByRole('heading', { level: 1, name: 'Plaque for the grave' })).toBeVisible()
  await expect(page.getByText('This memorial is not public yet')).toBeVisible()
  const plaque = page.getByRole('img', { name: /^Plaque of Tendai Rudo Moyo/u })
  await expect(plaque).toBeVisible()
  await expectDrawn(plaque)
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    await expectNoSidewaysScroll(page)
  }

  const svg = await saved(page, page.getByRole('button', { name: 'Download the plaque (SVG)' }).click())
  expect(svg.suggestedFilename()).toBe(`${memorial.slug}-plaque.svg`)
  expect(readFileSync(await svg.path(), 'utf8')).toContain('width="100mm" height="140mm"')
  const png = await saved(page, page.getByRole('button', { name: 'Download as a picture (PNG)' }).click())
  expect(png.suggestedFilename()).toBe(`${memorial.slug}-plaque.png`)
  const file = readFileSync(await png.path())
  expect([file.toString('latin1', 37, 41), file.readUInt32BE(41)], 'pixels a metre').toEqual(['pHYs', 24_000])
  const seen = await read('image/png', file)
  expect([seen.width, seen.height, seen.text]).toEqual([2400, 3360, link])

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.getByRole('button').or(page.getByRole('navigation'))).not.toBeVisible()
  await expect(page.getByText('Scan it before you engrave')).toBeVisible()
  const box = await plaque.boundingBox()
  expect(box?.width).toBeCloseTo(100 * CSS_PX_A_MM, 0)
  expect(box?.height).toBeCloseTo(140 * CSS_PX_A_MM, 0)
  expect((await read('image/png', await plaque.screenshot())).text).toBe(link)
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  const pages = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/gu)].map(([, ...sides]) =>
    sides.map(Number),
  )
  expect(pages).toHaveLength(1)
  // A4 in points.
  expect(pages[0]?.[0]).toBeCloseTo(595.3, -0.5)
  expect(pages[0]?.[1]).toBeCloseTo(841.9, -0.5)

  await page.emulateMedia({ media: 'screen' })
  await page.getByLabel('With crop marks').check()
  await page.getByLabel('With the sentence').uncheck()
  const [marked] = await Promise.all([
    page.waitForEvent('download'),
    expect(async () => {
      await page.getByRole('button', { name: 'Download the plaque (SVG)', disabled: false }).click()
    }).toPass(),
  ])
  expect(readFileSync(await marked.path(), 'utf8')).toContain('width="116mm" height="156mm"')
})

test('the owner asks for a price, and the operator gets size and address', async ({ page, family }) => {
  const memorial = await family.memorial('PRIVATE', TENDAI)
  await family.signIn(page)
  await page.goto(`/memorial/${memorial.id}/plaque`)
  await page.getByRole('link', { name: 'Ask us for a price' }).click()
  const written = page.getByLabel('Message')
  await written.fill((await written.inputValue()).replace(/\[.+\]/u, '4 Main Street, Mutare'))
  await page.getByRole('button', { name: 'Send message' }).click()
  await expectToast(page, 'Message Sent')
  const row = await family.world.db
    .prepare('SELECT subject, message FROM contact_messages WHERE message LIKE ?')
    .bind(`%${memorial.slug}%`)
    .first()
  expect(row).toEqual({
    subject: 'Price of a plaque',
    message: `What would this plaque cost, sent to this address?\n4 Main Street, Mutare\n\nFor: Tendai Rudo Moyo\nSize: 100 × 140 mm, with the sentence\nQR code: ${family.world.url}/m/${memorial.slug}`,
  })
})

test('a viewer who may not edit a memorial cannot get its plaque', async ({ page, demo, family }) => {
  await family.open(page, `/memorial/${demo.publicId}/plaque`)
  await expect(page.getByText('Only the owner of this memorial can order its plaque.')).toBeVisible()
  await expect(page.getByRole('img', { name: /^Plaque of/u })).toHaveCount(0)
})
