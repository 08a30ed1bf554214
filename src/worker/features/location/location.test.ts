import { expect, test } from 'vitest'
import { Client, memorialOf, invited } from '../../../../test/worker/harness.ts'
import { decodeQr } from '../../../../test/worker/pixels.ts'

test('the burial place is stored and returned as numbers', async () => {
  const { owner, path } = await memorialOf()
  const { status, body } = await owner.put(`${path}/location`, {
    latitude: '-17.829167',
    longitude: 31.052222,
    label: ' Family plot ',
  })
  expect(status).toBe(200)
  expect(body).toEqual({ label: 'Family plot', latitude: -17.829167, longitude: 31.052222 })
  await owner.put(`${path}/location`, { latitude: '-0', longitude: -180 })
  const stored = (await owner.get(path)).body.location
  expect(stored).toEqual({ label: null, latitude: 0, longitude: -180 })
  expect(Object.is(stored.latitude, 0)).toBe(true)
})

test('others see the burial place only once the owner shows it', async () => {
  const { owner, memorial, relative, path } = await invited()
  const place = { label: 'Family plot', latitude: -17.5, longitude: 31 }
  await owner.put(`${path}/location`, place)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const anyone = new Client()
  const locationsByViewer = async () => [
    (await owner.get(path)).body.location,
    (await relative.get(path)).body.location,
    (await anyone.get(`/api/memorial/${memorial.slug}`)).body.location,
  ]
  expect(await locationsByViewer()).toEqual([place, null, null])
  await owner.patch(path, { showLocation: true })
  expect(await locationsByViewer()).toEqual([place, place, place])
})

const decode = (svg: string) => decodeQr(svg, Number(/viewBox="0 0 (\d+) /u.exec(svg)?.[1]))

test('the QR code holds the permanent link, has a size in mm and a quiet zone', async () => {
  const { owner, memorial, path } = await memorialOf()
  const { status, body } = await owner.post(`${path}/location/qr`)
  expect(status).toBe(200)
  expect(body.url).toBe(`http://localhost/m/${memorial.slug}`)
  expect(decode(body.svg)).toBe(body.url)
  expect(body.sizeMm).toBeGreaterThanOrEqual(40)
  expect(body.svg).toContain(`width="${body.sizeMm}mm" height="${body.sizeMm}mm"`)
  expect(body.svg).not.toMatch(/M[0-3] |M\d+ [0-3]h/u)

  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  await owner.patch(path, { honoureeFullName: 'Somebody Else' })
  expect((await owner.post(`${path}/location/qr`)).body).toEqual(body)
})

test('no text of a user gets into the QR code or changes its link', async () => {
  const name = '"/><script>alert(1)</script><a href="//evil.example">Evil</a>'
  const { owner, memorial, path } = await memorialOf({ name })
  await owner.patch(path, { title: '</svg><svg onload=alert(1)>' })
  await owner.put(`${path}/location`, {
    latitude: 1,
    longitude: 1,
    label: '</svg><image href=//evil.example>',
  })
  const { body } = await owner.post(`${path}/location/qr`, { url: 'https://evil.example', slug: 'evil' })
  expect(body.url).toMatch(/^http:\/\/localhost\/m\/[a-z0-9-]+$/u)
  expect(body.url).toBe(`http://localhost/m/${memorial.slug}`)
  expect(decode(body.svg)).toBe(body.url)
  expect(body.svg).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+mm" height="\d+mm" viewBox="0 0 \d+ \d+" shape-rendering="crispEdges"><rect width="\d+" height="\d+" fill="#fff"\/><path d="[Mhv\d z-]+" fill="#000"\/><\/svg>\n$/u,
  )
})

test('the public QR code is the same, and does not reveal whether a memorial exists', async () => {
  const { owner, memorial } = await memorialOf()
  const { body } = await owner.post(`/api/memorials/${memorial.id}/location/qr`)
  const seen = async (slug: string) => {
    const answer = await new Client().fetch(`/m/${slug}/code.svg`)
    const [type, cache] = ['Content-Type', 'Cache-Control'].map((name) => answer.headers.get(name))
    return { status: answer.status, type, cache, text: await answer.text() }
  }
  const hidden = await seen(memorial.slug)
  expect(hidden).toEqual({
    status: 200,
    type: 'image/svg+xml',
    cache: 'public, max-age=86400',
    text: body.svg,
  })
  const unknown = await seen('nobody-aaaaaa')
  expect({ ...unknown, text: hidden.text }).toEqual(hidden)
  expect(decode(unknown.text)).toBe('http://localhost/m/nobody-aaaaaa')
})
