import { readFileSync } from 'node:fs'
import exif from 'exifr'
import { PASSWORD } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { files } from '../files.ts'
import {
  expectDrawn,
  expectNoSidewaysScroll,
  fillCard,
  giveName,
  linkIn,
  logIn,
  play,
  postMessage,
} from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const NAME = 'Tendai Rudo Moyo'
const STORY = 'She taught half of Mutare to read, and the other half to listen.'
const MESSAGE = 'Zororai murugare, mudzidzisi wedu.'

test('a family creates a memorial, a relative adds to it, and visitors see it', async ({ world, family }) => {
  // A declined card, and a visitor without access.
  expectErrors(refusedWith(402), refusedWith(403))
  const owner = await family.visitorPage(1280, '/register')
  const relative = await family.visitorPage(360)
  const visitor = await family.visitorPage(1280)

  // The owner registers, confirms the address from the mail, and signs in.
  const email = 'rudo.moyo@family.test'
  await owner.getByLabel('First name').fill('Rudo')
  await owner.getByLabel('Last name').fill('Moyo')
  await owner.getByLabel('Email').fill(email)
  await owner.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD)
  await owner.getByRole('textbox', { name: 'Confirm password' }).fill(PASSWORD)
  await owner.getByRole('button', { name: 'Create account' }).click()
  await expect(owner).toHaveURL('/login')
  await expect(owner.getByRole('main')).toContainText('Registration successful! Please check your email')
  const link = linkIn(await world.mailTo(email, /confirm/iu))
  expect(link, 'the mail contains a link to this site').toContain(`${world.url}/verify-email/`)
  await owner.goto(link)
  await owner.getByRole('link', { name: 'Sign In Now' }).click()
  await logIn(owner, email)
  await expect(owner).toHaveURL('/dashboard')
  await expect(owner.getByText('No memorials yet')).toBeVisible()
  await owner.getByRole('link', { name: 'Create Your First Memorial' }).click()

  // A declined card takes no money and writes no PAID row.
  await expect(owner.getByRole('heading', { name: 'Complete Your Memorial' })).toBeVisible()
  await expect(owner.getByText('Step 1 of 6')).toBeVisible()
  await fillCard(owner, '4000 0000 0000 0002')
  await owner.getByRole('button', { name: 'Pay $60.00 Now' }).click()
  const refusal = owner.getByRole('alert').filter({ hasText: 'Payment Failed' })
  await expect(refusal).toContainText('Your card was declined.')
  await expect(refusal).toContainText('No money was taken.')
  expect(await world.paidBy(email)).toBe(0)

  // The same form accepts another card.
  await fillCard(owner, '4242 4242 4242 4242')
  await owner.getByRole('button', { name: 'Pay $60.00 Now' }).click()
  await expect(owner.getByRole('heading', { name: 'Basic Information' })).toBeVisible()
  expect(await world.paidBy(email)).toBe(1)
  const receipt = await world.mailTo(email, /receipt/iu)
  expect(receipt.text).toContain('$60.00')

  // Step 1: basic information and the portrait.
  await owner.getByLabel('Full name').fill(NAME)
  await owner.getByLabel('One sentence about them').fill('She taught half of Mutare to read.')
  for (const [group, day, month, year] of [
    [/^Born/u, '14', '3', '1948'],
    [/^Died/u, '2', '6', '2026'],
  ] as const) {
    const date = owner.getByRole('group', { name: group })
    await date.getByLabel('Day').fill(day)
    await date.getByLabel('Month').fill(month)
    await date.getByLabel('Year').fill(year)
  }
  await owner.getByLabel('Choose a portrait').setInputFiles(files.photoRotated)
  await owner.getByRole('button', { name: 'Next' }).click()

  // Step 2: the funeral, with the printed programme.
  await expect(owner.getByRole('heading', { name: 'Funeral Service Details' })).toBeVisible()
  await owner.getByLabel('Kind of gathering').selectOption('Burial')
  await owner.getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
  await owner.getByLabel('Venue').fill('Yeovil Cemetery')
  await owner.getByLabel('Town or city').fill('Mutare')
  await owner.getByLabel('Choose the programme (PDF)').setInputFiles(files.programme)
  await owner.getByRole('button', { name: 'Next' }).click()

  // Step 3: the grave's location, and the QR code for the stone.
  await expect(owner.getByRole('heading', { name: 'Memorial Location' })).toBeVisible()
  await owner.getByLabel('Latitude').fill('-18.970700')
  await owner.getByLabel('Longitude').fill('32.670900')
  await owner.getByRole('button', { name: 'Next' }).click()

  // Step 4: the story and the media.
  await expect(owner.getByRole('heading', { name: 'Life Story & Media' })).toBeVisible()
  await owner.getByRole('textbox', { name: 'Life story' }).click()
  await owner.keyboard.type(STORY)
  await owner.getByLabel('Choose photos').setInputFiles(files.photoWithGps)
  await owner.getByLabel('Choose a video').setInputFiles(files.video)
  await owner.getByLabel('Choose a recording').setInputFiles(files.voiceNote)
  await owner.getByRole('button', { name: 'Next' }).click()

  // Step 5: invite the family.
  await expect(owner.getByRole('heading', { name: 'Privacy & Sharing' })).toBeVisible()
  await owner.getByRole('radio', { name: /Invite/u }).check()
  const invitation = owner.getByLabel('Invitation link')
  await expect(invitation).toHaveValue(/\/invite\//u)
  const inviteLink = await invitation.inputValue()
  await owner.getByRole('button', { name: 'Complete Setup' }).click()
  await expect(owner).toHaveURL(/\/memorial\/mem_/u)
  await expect(owner.getByRole('heading', { level: 1, name: NAME })).toBeVisible()
  await expect(owner.getByText(STORY)).toBeVisible()
  const memorialId = /mem_\w+/u.exec(owner.url())?.[0] ?? ''
  const slug = await world.db
    .prepare('SELECT slug FROM memorials WHERE id = ?')
    .bind(memorialId)
    .first<string>('slug')
  expect(slug).toMatch(/^tendai-rudo-moyo-[a-z0-9]{6}$/u)

  // Reopening the wizard shows what was saved.
  await owner.goto(`/create-memorial/${memorialId}?step=1`)
  await expect(owner.getByLabel('Full name')).toHaveValue(NAME)
  await owner.goto(`/create-memorial/${memorialId}?step=2`)
  await expect(owner.getByLabel('Venue')).toHaveValue('Yeovil Cemetery')

  // Before the memorial is public, a visitor has no access by any route.
  await visitor.goto(`/m/${slug}`)
  await expect(visitor.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  await expect(visitor.getByText(NAME)).toHaveCount(0)
  const photoId = await world.db
    .prepare("SELECT id FROM media WHERE memorial_id = ? AND type = 'IMAGE' ORDER BY created_at LIMIT 1")
    .bind(memorialId)
    .first<string>('id')
  const refused = await visitor.request.get(`/media/stream/${photoId}?w=1920`, { maxRetries: 3 })
  expect(refused.status()).toBe(403)

  // A relative on a phone opens the invitation, gives a name, writes a message and adds a photo.
  await relative.goto(inviteLink)
  await expect(relative.getByRole('heading', { level: 1, name: NAME })).toBeVisible()
  await expect(relative).not.toHaveURL(/invite/u)
  await expectNoSidewaysScroll(relative)
  await postMessage(relative, MESSAGE)
  await giveName(relative, 'Farai Chikomo')
  await expect(relative.getByRole('listitem').filter({ hasText: MESSAGE })).toContainText('Farai Chikomo')
  await relative.getByLabel('Add photos').setInputFiles(files.photoOfRelative)
  await expect(relative.getByRole('link', { name: /added by Farai Chikomo/u })).toBeVisible()

  // The owner makes the memorial public.
  await owner.goto(`/memorial/${memorialId}`)
  await expect(owner.getByText(MESSAGE)).toBeVisible()
  await owner.getByRole('button', { name: 'Lock' }).click()
  await owner.getByRole('button', { name: 'Make it public' }).click()
  // The dialog says it in a longer sentence.
  await expect(owner.getByText('Anyone with the link can see it', { exact: true })).toBeVisible()

  // Now the visitor sees all of it, and can add nothing.
  await visitor.goto(`/m/${slug}`)
  await expect(visitor.getByRole('heading', { level: 1, name: NAME })).toBeVisible()
  await expect(visitor.getByText('14 March 1948 – 2 June 2026')).toBeVisible()
  await expect(visitor.getByText(STORY)).toBeVisible()
  await expect(visitor.getByText('Saturday 7 June 2031, 10:00, Harare time')).toBeVisible()
  await expect(visitor.getByText(MESSAGE)).toBeVisible()
  await expect(visitor.getByRole('link', { name: /^Photo \d/u })).toHaveCount(2)
  await expect(visitor.getByLabel('Write a message')).toHaveCount(0)
  await expect(visitor.getByLabel('Add photos')).toHaveCount(0)
  await expect(visitor.getByText('32.670900')).toHaveCount(0)

  // The photos load, are upright, and contain no location.
  const portrait = visitor.getByRole('img', { name: `Portrait of ${NAME}` })
  await expectDrawn(portrait)
  const original = await exif.gps(readFileSync(files.photoWithGps))
  expect(original?.latitude, 'the uploaded file contains a position').toBeDefined()
  for (const address of [`?w=1920`, '?thumbnail=1', '']) {
    const served = await visitor.request.get(`/media/stream/${photoId}${address}`, { maxRetries: 3 })
    expect(served.status()).toBe(200)
    expect(await exif.parse(await served.body()).catch(() => undefined)).toBeUndefined()
  }
  expect((await visitor.request.get(`/media/stream/${photoId}?original=1`, { maxRetries: 3 })).status()).toBe(
    403,
  )

  // The video and the recording play; the programme can be downloaded.
  for (const kind of ['video', 'audio'] as const) {
    const player = visitor.locator(kind).first()
    await play(player)
  }
  const programme = await visitor.request.get(`/api/memorials/${memorialId}/funeral-program`, {
    maxRetries: 3,
  })
  expect(programme.headers()['content-disposition']).toContain('attachment')
  expect(await programme.body()).toEqual(readFileSync(files.programme))
})
