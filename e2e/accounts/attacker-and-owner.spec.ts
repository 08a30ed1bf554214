import type { Page } from '@playwright/test'
import { DEMO } from '../../tools/operate/seed.ts'
import { signIn } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, linkIn, logIn } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const STRANGERS = 'the stranger knows this'
const OWNERS = 'sunbird-over-chimanimani'

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Fills in the fields with these labels. */
async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await page.getByRole('textbox', { name: label, exact: true }).fill(value)
  }
}

/** Registers an address with the form, as this person. */
async function register(page: Page, email: string, firstName: string, password: string): Promise<void> {
  await page.goto('/register')
  const passwords = { Password: password, 'Confirm password': password }
  await fill(page, { 'First name': firstName, 'Last name': 'Moyo', Email: email, ...passwords })
  await page.getByRole('main').getByRole('button', { name: 'Create account' }).click()
}

test('a stranger who registers the owner’s address gains nothing and stops nothing', async ({
  world,
  family,
}) => {
  expectErrors(refusedWith(401), refusedWith(403), refusedWith(410), refusedWith(429))
  const stranger = await family.visitorPage(1280)
  const owner = await family.visitorPage(360)
  const email = 'mailbox@family.test'
  const mails = async () => {
    const response = await fetch(`${world.sandboxUrl}/mail?to=${email}`)
    return ((await response.json()) as { messages: { text: string }[] }).messages
  }
  /** The links in the mailbox, newest first, once there are this many. */
  const links = async (count: number) => {
    await expect.poll(async () => (await mails()).length).toBe(count)
    return (await mails()).map(linkIn)
  }

  for (let i = 0; i < 3; i++) {
    await register(stranger, email, 'Mallory', STRANGERS)
    await expect(stranger).toHaveURL('/login')
  }
  // The fourth promises no mail.
  await register(stranger, email, 'Mallory', STRANGERS)
  await expect(stranger.getByRole('alert')).toContainText('We have sent several emails to this address')
  // They leave one by one, and the owner's is to be the newest.
  await links(3)

  await register(owner, email, 'Chipo', 'typed on the laptop')
  await expect(owner).toHaveURL('/login')
  const [own = '', strange = ''] = await links(4)

  // She opens a link of his: nothing is confirmed, and she is asked for a name and a password of her own.
  await owner.goto(strange)
  await expect(heading(owner)).toHaveText('Confirm your email')
  await expectNoSidewaysScroll(owner)
  await logIn(await opened(stranger, '/login'), email, STRANGERS)
  await expect(stranger.getByRole('alert')).toContainText('Please confirm your email address first.')

  await owner.getByRole('button', { name: 'Confirm my email' }).click()
  await expect(owner.getByRole('alert')).toContainText('Please fill in all fields')
  await fill(owner, { 'First name': 'Chipo', 'Last name': 'Moyo', Password: OWNERS })
  await owner.getByRole('button', { name: 'Confirm my email' }).click()
  await expect(heading(owner)).toHaveText('Email confirmed')
  await expect(heading(owner)).toBeFocused()
  await owner.getByRole('link', { name: 'Sign In Now' }).click()
  await logIn(owner, email, OWNERS)
  await expect(heading(owner)).toHaveText('My Memorials')
  await expect(owner.getByRole('main')).toContainText('Chipo')

  // Nothing of his is left.
  await logIn(await opened(stranger, '/login'), email, STRANGERS)
  await expect(stranger.getByRole('alert')).toContainText('Invalid email or password')
  await stranger.goto(own)
  await expect(heading(stranger)).toHaveText('Email not confirmed')
  await expect(stranger.getByRole('alert')).toContainText('If there is a newer email from us')
})

async function opened(page: Page, path: string): Promise<Page> {
  await page.goto(path)
  return page
}

test('a stranger with the old password cannot stop a reset, and keeps nothing after it', async ({
  world,
  family,
}) => {
  expectErrors(refusedWith(401), refusedWith(403), refusedWith(404), refusedWith(429))
  const { email } = family
  const { inviteLink } = await family.invited()
  const stranger = await family.visitorPage(1280)
  const owner = await family.visitorPage(360)
  await signIn(stranger, world, email)
  await stranger.goto('/dashboard')
  await expect(heading(stranger)).toHaveText('My Memorials')
  const outside = await family.visitorPage(1280)
  for (let i = 0; i < 4; i++) {
    await outside.goto('/forgot-password')
    await outside.getByLabel('Email').fill(email)
    await outside.getByRole('button', { name: 'Send reset link' }).click()
    await expect(heading(outside)).toHaveText('Check Your Email')
  }
  await register(outside, email, 'Mallory', STRANGERS)
  await expect(outside).toHaveURL('/login')

  await owner.goto('/forgot-password')
  await owner.getByLabel('Email').fill(email)
  await owner.getByRole('button', { name: 'Send reset link' }).click()
  await expect(heading(owner)).toHaveText('Check Your Email')
  await owner.goto(linkIn(await world.mailTo(email, /new password/iu)))
  await fill(owner, { 'New password': OWNERS, 'Confirm new password': OWNERS })
  await owner.getByRole('button', { name: 'Set new password' }).click()
  await expect(heading(owner)).toHaveText('Password Reset Complete')

  await stranger.goto('/dashboard')
  await expect(heading(stranger)).toHaveText('Login')
  await logIn(stranger, email, DEMO.password)
  await expect(stranger.getByRole('alert')).toContainText('Invalid email or password')
  await stranger.goto(inviteLink)
  await expect(heading(stranger)).toContainText('Sekai Ndlovu')

  await owner.getByRole('button', { name: 'Sign out everywhere and end invitations' }).click()
  await owner.getByRole('button', { name: 'End all invitations' }).click()
  const done = owner
    .getByRole('status')
    .filter({ hasText: 'all invitation links of your memorials have ended' })
  await expect(done).toBeFocused()
  await expectNoSidewaysScroll(owner)
  await stranger.goto(inviteLink)
  await expect(stranger.getByRole('main')).toContainText('This invitation no longer works.')
  await owner.getByRole('link', { name: 'Go to Login' }).click()
  await logIn(owner, email, OWNERS)
  await expect(heading(owner)).toHaveText('My Memorials')
})
