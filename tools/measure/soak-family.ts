import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { CommentPage } from '../../src/shared/comments/comments.ts'
import { CONTRIBUTOR_QUOTA } from '../../src/shared/limits.ts'
import type { MediaPage, MediaUploaded } from '../../src/shared/media/media.ts'
import { TENDAI } from '../operate/demo/texts.ts'
import { account, openToInvited, paidMemorial, relativeOf } from '../operate/seed.ts'
import type { ProductClient } from '../operate/local/product-client.ts'

const PHOTO = readFileSync(resolve(import.meta.dirname, '../../test/fixtures/photo-gps.jpg'))
const RETRY_MS = 300

type Answer = { status: number; body: unknown }
export type Counts = { done: number; retried: number; refused: number }

/** One person, and the media that the server has confirmed as theirs. */
type Person = { client: ProductClient; isOwner: boolean; media: Set<string> }

/** An owner, relatives, and a model of their memorial that contains only what the server has confirmed. */
export class Family {
  readonly memorialId: string
  readonly #people: Person[]
  readonly #comments = new Map<string, string>()
  #title: string
  readonly counts: Counts = { done: 0, retried: 0, refused: 0 }

  constructor(memorialId: string, people: Person[], title: string) {
    this.memorialId = memorialId
    this.#people = people
    this.#title = title
  }

  /** Creates a paid, invite-only memorial with an owner and relatives. `index` makes addresses unique. */
  static async create(url: string, sandboxUrl: string, index: number, relatives: number): Promise<Family> {
    const address = { email: `soak${index}@family.test`, firstName: 'Rudo', lastName: 'Moyo' }
    const owner = await account(url, sandboxUrl, address, `192.0.2.${index + 10}`)
    const memorial = await paidMemorial(owner, sandboxUrl, TENDAI)
    const { token } = await openToInvited(owner, memorial.id)
    const people: Person[] = [{ client: owner, isOwner: true, media: new Set<string>() }]
    for (let at = 0; at < relatives; at++) {
      const ip = `198.51.100.${index * 10 + at + 1}`
      const { relative } = await relativeOf(url, token, `Relative ${at}`, ip)
      people.push({ client: relative, isOwner: false, media: new Set() })
    }
    return new Family(memorial.id, people, TENDAI.title)
  }

  /** Every person makes one change after another until `isOver`. */
  async live(isOver: () => boolean): Promise<void> {
    await Promise.all(
      this.#people.map(async (person) => {
        while (!isOver()) await this.#doSomething(person)
      }),
    )
  }

  async #doSomething(person: Person): Promise<void> {
    const dice = randomInt(10)
    if (dice < 5) await this.#sendPhoto(person)
    else if (dice < 7) await this.#comment(person)
    else if (dice < 9 || !person.isOwner) await this.#deleteMedia(person)
    else await this.#rename(person)
  }

  async #sendPhoto(person: Person): Promise<void> {
    const form = () => {
      const data = new FormData()
      data.set('type', 'IMAGE')
      data.set('file', new Blob([PHOTO], { type: 'image/jpeg' }), 'a.jpg')
      return data
    }
    const headers = { 'Idempotency-Key': randomUUID() }
    const path = `/api/memorials/${this.memorialId}/media/upload`
    const { status, body } = await this.#retry(() => person.client.send('POST', path, form(), headers))
    if (status === 201) person.media.add((body as MediaUploaded).id)
    else if (status === 409 && person.media.size < CONTRIBUTOR_QUOTA.images.max) {
      throw new Error(`refused with ${person.media.size} photos: ${JSON.stringify(body)}`)
    }
  }

  async #comment(person: Person): Promise<void> {
    const text = `She sang. ${randomUUID()}`
    const headers = { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' }
    const { status, body } = await this.#retry(() =>
      person.client.send(
        'POST',
        `/api/memorials/${this.memorialId}/comments`,
        JSON.stringify({ body: text }),
        headers,
      ),
    )
    if (status === 201) this.#comments.set((body as { comment: { id: string } }).comment.id, text)
  }

  async #deleteMedia(person: Person): Promise<void> {
    const [id] = person.media
    if (!id) return
    const { status } = await this.#retry(() => person.client.send('DELETE', `/api/media/${id}`))
    if (status !== 204 && status !== 404) throw new Error(`${id} could not be deleted: ${status}`)
    person.media.delete(id)
  }

  async #rename(person: Person): Promise<void> {
    const title = `She stayed ${randomUUID()}.`
    const path = `/api/memorials/${this.memorialId}`
    const headers = { 'Content-Type': 'application/json' }
    const { status } = await this.#retry(() =>
      person.client.send('PATCH', path, JSON.stringify({ title }), headers),
    )
    if (status === 200) this.#title = title
  }

  /** Repeats a request, as a browser does, until there is a response below 500. */
  async #retry(send: () => Promise<Response>): Promise<Answer> {
    for (;;) {
      try {
        const response = await send()
        const text = await response.text()
        if (response.status < 500) {
          if (response.ok) this.counts.done++
          else this.counts.refused++
          return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
        }
      } catch {
        // The server was killed: the connection broke, or nothing is listening.
      }
      this.counts.retried++
      await wait(RETRY_MS)
    }
  }

  /** Differences between the memorial and the model, one line each. Also wakes the quota object. */
  async differences(): Promise<string[]> {
    const owner = this.#people[0]
    if (!owner) return []
    const path = `/api/memorials/${this.memorialId}`
    const { memorial } = await owner.client.call<{ memorial: { title: string } }>('GET', path)
    const media = await pages<MediaPage>(owner.client, `${path}/media`)
    const comments = await pages<CommentPage>(owner.client, `${path}/comments`)
    for (const { client } of this.#people.slice(1)) await client.call('GET', `${path}/contributor-session`)
    const expected = this.#people.flatMap((person) => [...person.media])
    const shown = media.flatMap((page) => page.media.map(({ id }) => id))
    const written = comments.flatMap((page) => page.comments.map(({ id, body }) => `${id} ${body}`))
    return [
      ...compare('media', expected, shown),
      ...compare(
        'messages',
        [...this.#comments].map(([id, text]) => `${id} ${text}`),
        written,
      ),
      ...compare('title', [this.#title], [memorial.title]),
    ].map((line) => `${this.memorialId} ${line}`)
  }
}

async function pages<P extends { nextCursor: string | null }>(
  client: ProductClient,
  path: string,
): Promise<P[]> {
  const all: P[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''
    const page: P = await client.call<P>('GET', `${path}${query}`)
    all.push(page)
    cursor = page.nextCursor
  } while (cursor)
  return all
}

function compare(what: string, expected: string[], shown: string[]): string[] {
  return [
    ...expected
      .filter((one) => !shown.includes(one))
      .map((one) => `${what}: ${one} was confirmed but is missing`),
    ...shown
      .filter((one) => !expected.includes(one))
      .map((one) => `${what}: ${one} exists but was not confirmed`),
  ]
}
