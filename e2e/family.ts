import { expect, type Browser, type Page } from '@playwright/test'
import type { Comment } from '../src/shared/comments/comments.ts'
import type { Keeper, KeeperInviteMade, KeeperList } from '../src/shared/keepers/keepers.ts'
import type { Media, MediaUploaded } from '../src/shared/media/media.ts'
import type { Memorial, Privacy, VisitorMessages } from '../src/shared/memorials/memorials.ts'
import { ProductClient } from '../tools/operate/local/product-client.ts'
import { openToInvited, paidMemorial } from '../tools/operate/seed.ts'
import { newOwner, signIn, TENDAI } from './accounts-by-api.ts'
import { files } from './files.ts'
import { letPressesWait } from './people.ts'
import { fromOwnAddress, test as base, type World } from './world.ts'

type Basics = Parameters<typeof paidMemorial>[2]

/** An owner, created through the API. Each test has its own, because payment attempts per account are rate-limited. */
export class Family {
  readonly world: World
  readonly browser: Browser
  readonly email: string
  readonly owner: ProductClient

  private constructor(world: World, browser: Browser, email: string, owner: ProductClient) {
    this.world = world
    this.browser = browser
    this.email = email
    this.owner = owner
  }

  static async create(world: World, browser: Browser): Promise<Family> {
    const { email, owner } = await newOwner(world, `family-${Date.now()}`)
    return new Family(world, browser, email, owner)
  }

  /** Creates a memorial that is not paid for. */
  draft(basics: Partial<Basics> = TENDAI): Promise<Memorial> {
    return this.owner.call('POST', '/api/memorials', basics)
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

  /** Lets a new account look after a memorial as its keeper, and signs the browser of this page in as them. Returns who they are there. */
  async keeper(page: Page, memorialId: string): Promise<Keeper> {
    const path = `/api/memorials/${memorialId}`
    const { link } = await this.owner.call<KeeperInviteMade>('POST', `${path}/keeper-invites`, {
      role: 'KEEPER',
    })
    const { email, owner: keeper } = await newOwner(this.world, 'keeper')
    await keeper.call('POST', `/api/keeper-invites/${link?.split('/').at(-1)}/accept`, {})
    await signIn(page, this.world, email)
    const { keepers } = await this.owner.call<KeeperList>('GET', `${path}/keepers`)
    const found = keepers.find((one) => one.email === email)
    if (!found) throw new Error(`${email} isn't a keeper of ${memorialId}`)
    return found
  }

  /** Creates a public memorial where visitors may leave messages. */
  async openToVisitors(visitorMessages: VisitorMessages): Promise<{ memorial: Memorial }> {
    const memorial = await this.memorial()
    await this.owner.call('PATCH', `/api/memorials/${memorial.id}`, { visitorMessages })
    return { memorial: await this.setPrivacy(memorial.id, 'LOCKED') }
  }

  /** Leaves words on the public page without a browser, from a network of its own. Returns the message. */
  async leave(slug: string, message: { name: string; body: string; relation?: string }): Promise<Comment> {
    const path = `/api/memorial/${slug}/visitor-messages`
    return (await this.stranger().call<{ comment: Comment }>('POST', path, message)).comment
  }

  /** Somebody without a session, on a network of their own (RFC 2544). */
  stranger(): ProductClient {
    lastNetwork += 1
    return new ProductClient(this.world.url, `198.18.${lastNetwork & 255}.${1 + (lastNetwork >> 8)}`)
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

  /** Signs the browser of this page in as the owner. */
  signIn(page: Page): Promise<void> {
    return signIn(page, this.world, this.email)
  }

  /** Signs the browser of this page in as the owner, and opens this path. */
  async open(page: Page, path: string): Promise<void> {
    await this.signIn(page)
    await page.goto(path)
  }

  /** A page of this width (px) in which the owner is signed in; it opens this path. */
  async ownerPage(width: number, path?: string): Promise<Page> {
    const page = await this.visitorPage(width)
    await this.signIn(page)
    if (path) await page.goto(path)
    return page
  }

  /** A page of this width (px) in a new browser context, without any session; it opens this path. */
  async visitorPage(
    width: number,
    path?: string,
    {
      sendsPlainForms = false,
      ...options
    }: {
      baseURL?: string
      javaScriptEnabled?: boolean
      timezoneId?: string
      /** As outside of tests: the browser sends a form itself if the app takes too long. */
      sendsPlainForms?: boolean
    } = {},
  ): Promise<Page> {
    const context = await this.browser.newContext({
      ...options,
      viewport: { width, height: width < 600 ? 740 : 800 },
      isMobile: width < 600,
      hasTouch: width < 600,
      extraHTTPHeaders: fromOwnAddress(),
    })
    if (!sendsPlainForms) await letPressesWait(context)
    const page = await context.newPage()
    if (path) await page.goto(path)
    return page
  }
}

let lastNetwork = 0

/** Tests with a family of their own. */
export const test = base.extend<{ family: Family }>({
  family: async ({ world, browser }, use) => use(await Family.create(world, browser)),
})

export { expect }
