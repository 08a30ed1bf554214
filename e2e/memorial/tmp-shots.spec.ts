import { ProductClient } from '../../tools/operate/local/product-client.ts'
import { expect, test } from '../family.ts'
test('shots', async ({ family }) => {
  test.setTimeout(120000)
  const { memorial } = await family.openToVisitors('APPROVED')
  const names = ['Anesu Moyo', 'Batsirai Ndlovu', 'Chipo']
  for (const [n, name] of names.entries())
    await new ProductClient(family.world.url, `203.0.113.${n + 1}`).call(
      'POST',
      `/api/memorial/${memorial.slug}/visitor-messages`,
      {
        name,
        relation: n ? 'her pupil' : '',
        body: 'She taught me to whistle, and to wait for the rain. '.repeat(n + 1),
      },
    )
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [360, 1280]) {
      const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
      await page.emulateMedia({ colorScheme: scheme })
      const waiting = page.getByRole('region', { name: 'Waiting for you' })
      await waiting.getByRole('button', { name: /^More/ }).first().click()
      const m = waiting.getByText(/May hurt/)
      if (await m.count()) {
        await m.click()
        const r = waiting.getByText(/^Read/).first()
        if (await r.count()) await r.click()
      }
      if (scheme === 'light' && width === 360)
        await waiting.getByRole('button', { name: /^Decline: .*Chipo/ }).click()
      await waiting.getByText('Decided in the last').click()
      await page.waitForTimeout(500)
      await waiting.scrollIntoViewIfNeeded()
      await waiting.screenshot({ path: `/tmp/shot-${scheme}-${width}.png` })
    }
  expect(1).toBe(1)
})
