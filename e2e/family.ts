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
import { enter, newOwner } from './by-call.ts'
import { files } from './files.ts'
import { test as base } from './world.ts'

type World = { url: string; sandboxUrl: string }
type Basics = Parameters<typeof paidMemorial>[2]

/** An owner of memorials, made without screens. One for each test: how often an account can begin to pay is limited. */
export class Family {
  readonly world: World
  readonly email: string
  readonly owner: ProductClient

  constructor(world: World, email: string, owner: ProductClient) {
    this.world = world
    this.email = email
    this.owner = owner
  }

  /** A paid memorial in the privacy asked for. */
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

  /** A memorial open to the invited, and the link to it. */
  async invited(): Promise<{ memorial: Memorial; inviteLink: string; token: string }> {
    const memorial = await this.memorial()
    return { memorial, ...(await openToInvited(this.owner, memorial.id)) }
  }

  /** Somebody who was invited and has said this name. */
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

  /** A browser in which the owner is signed in. */
  async ownerPage(browser: Browser, width: number): Promise<Page> {
    const page = await strangerPage(browser, width)
    await enter(page, this.world, this.email)
    return page
  }
}

/** A browser of somebody whom the product does not know, as wide as asked for. */
export async function strangerPage(browser: Browser, width: number): Promise<Page> {
  return (await contextOf(browser, width)).newPage()
}

let lastAddress = 0

/** Limits count by address (RFC 5737): each browser has its own. */
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

/** The notification that stands on the page, with these words. */
export async function expectToast(page: Page, ...words: string[]): Promise<void> {
  let toast = page.getByTestId('toast')
  // All at once: it stands for five seconds.
  for (const text of words) toast = toast.filter({ hasText: text })
  await expect(toast).toBeVisible()
}

/** Tests about memorials of a family of their own. */
export const test = base.extend<{ family: Family }>({
  family: async ({ world }, use) => {
    const { email, owner } = await newOwner(world, `family-${Date.now()}`)
    await use(new Family(world, email, owner))
  },
})

export { expect }
