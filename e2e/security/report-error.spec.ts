import { expect, test } from '../world.ts'

test('an unexpected error is reported once, with its route, also on a public memorial', async ({
  page,
  world,
  demo,
  expectErrors,
}) => {
  expectErrors(/the drum is silent/u)
  for (const [path, screen] of [
    ['/faq', '/faq'],
    [`/m/${demo.publicSlug}`, '/m/:slug'],
  ] as const) {
    await page.goto(`${world.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const sent = page.waitForRequest('**/api/client-errors')
    await page.evaluate(() => {
      for (let again = 0; again < 2; again++) {
        setTimeout(() => {
          throw new RangeError('the drum is silent in "Rest well"')
        })
      }
    })
    const request = await sent
    expect(request.postDataJSON()).toEqual({
      name: 'RangeError',
      message: 'the drum is silent in …',
      screen,
      release: expect.stringMatching(/^[\w-]+\.js$/u),
      requestId: null,
    })
    expect((await request.response())?.status()).toBe(204)
  }
})
