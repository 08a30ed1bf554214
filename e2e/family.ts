import {
  expect,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test'
import type { Media, MediaUploaded } from '../src/shared/media.ts'
import type { Memorial, Privacy } from '../src/shared/memorials.ts'
import { ProductClient } from '../tools/operate/local/product-client.ts'
import { openToInvited, paidMemorial } from '../tools/operate/seed.ts'
import { newOwner, signIn, type Place } from './accounts-by-api.ts'
import { files } from './files.ts'
import { test as base } from './world.ts'

type Basics = Parameters<typeof paidMemorial>[2]

/** An owner, created through the API. Each test has its own, because payment attempts per account are rate-limited. */
export class Family {
  readonly world: Place
  readonly email: string
  readonly owner: ProductClient

  constructor(world: Place, email: string, owner: ProductClient) {
    this.world = world
    this.email = email
    this.owner = owner
  }

  /** Creates a paid memorial with this privacy. */
  async memorial(privacy: Privacy = 'PRIVATE', basics: Partial<Basics> = {}): Promise<Memorial> {
    const memorial = await paidMemorial(this.owner, this.world.sandboxUrl, {
      honoureeFullName: 'Sekai Ndlovu',
      title: 'She fed whoever came to the gate.',
      dateOfBirth: '1931-01-09',
      dateOfDeath: '2026-10-30',
      ...basics,
    })
    if (privacy !== 'PRIVATE') await this.setPrivacy(memorial.id, privacy)
    return memorial
  }

  /** Creates an invite-only memorial. Returns it with its invitation link. */
  async invited(): Promise<{ memorial: Memorial; inviteLink: string; token: string }> {
    const memorial = await this.memorial()
    return { memorial, ...(await openToInvited(this.owner, memorial.id)) }
  }

  /** A contributor who used the invitation and gave this name. */
  async relative(token: string, displayName: string): Promise<ProductClient> {
    const relative = new ProductClient(this.world.url)
    await relative.call('POST', `/api/invite/${token}/session`, { displayName, email: '' })
    return relative
  }

  setPrivacy(id: string, privacy: Privacy): Promise<Memorial> {
    return this.owner.call('PATCH', `/api/memorials/${id}/privacy`, { privacy })
  }

  async addPhoto(id: string, caption?: string): Promise<Media> {
    const path = `/api/memorials/${id}/media/upload`
    const { media } = await this.owner.upload<MediaUploaded>(path, files.photoOfRelative, 'image/jpeg', {
      type: 'IMAGE',
    })
    if (caption) await this.owner.call('PATCH', `/api/media/${media.id}`, { caption })
    return media
  }

  /** A page in which the owner is signed in. */
  async ownerPage(browser: Browser, width: number): Promise<Page> {
    const page = await visitorPage(browser, width)
    await signIn(page, this.world, this.email)
    return page
  }
}

/** A page of this width (px) in a new browser context, without any session. */
export async function visitorPage(browser: Browser, width: number): Promise<Page> {
  return (await contextOf(browser, width)).newPage()
}

let lastAddress = 0

/** Each context has its own IP address (RFC 5737), because rate limits count by address. */
function contextOf(browser: Browser, width: number): Promise<BrowserContext> {
  lastAddress += 1
  const options: BrowserContextOptions = {
    viewport: { width, height: width < 600 ? 740 : 800 },
    isMobile: width < 600,
    hasTouch: width < 600,
    extraHTTPHeaders: { 'CF-Connecting-IP': `198.51.100.${lastAddress}` },
  }
  return browser.newContext(options)
}

/** Expects a visible toast that contains all these texts. */
export async function expectToast(page: Page, ...texts: string[]): Promise<void> {
  let toast = page.getByTestId('toast')
  // One expectation for all texts: a toast is visible for only five seconds.
  for (const text of texts) toast = toast.filter({ hasText: text })
  await expect(toast).toBeVisible()
}

/** Tests with a family of their own. */
export const test = base.extend<{ family: Family }>({
  family: async ({ world }, use) => {
    const { email, owner } = await newOwner(world, `family-${Date.now()}`)
    await use(new Family(world, email, owner))
  },
})

export { expect }
