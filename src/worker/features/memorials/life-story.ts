import type { Element, Root, Text } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { sanitize, type Schema } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'
import { defaultTreeAdapter, parseFragment, type DefaultTreeAdapterTypes, type TreeAdapter } from 'parse5'
import { AppError, fieldError } from '#shared/errors.ts'
import { LIFE_STORY_HTML_MAX, LIFE_STORY_TEXT_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { STORY_ELEMENTS, STORY_LEVELS_MAX, type StoryNode } from '#shared/memorials/story.ts'
import { cleanCharacters } from '#shared/text-rules.ts'
import { codePoints } from '#shared/code-points.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Increase it with every change below: stored stories of another version are sanitised again when they are read. */
export const LIFE_STORY_VERSION = 3
const ELEMENTS_MAX = 20_000
/** Of 60,000 random stories none changed more than twice. */
const ROUNDS_MAX = 5
// eslint-disable-next-line no-control-regex -- the pattern removes control characters
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu
const LINK_REL = ['noopener', 'nofollow', 'ugc']

/** Elements from editors and word processors -> the elements that we store. */
const REPLACEMENTS: Record<string, string> = { b: 'strong', i: 'em', del: 's', strike: 's', h1: 'h2' }

/** The allow-list. The sanitiser removes all other elements; most of them keep their text. */
const SCHEMA: Schema = {
  tagNames: [...STORY_ELEMENTS],
  attributes: { a: ['href'] },
  protocols: { href: ['http', 'https', 'mailto'] },
  strip: ['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg', 'math', 'title', 'textarea'],
  allowComments: false,
  allowDoctypes: false,
  clobber: [],
}

/** Absolute URLs only: `//host`, `/path` and `#mark` would not lead where the author meant. */
const ABSOLUTE_URL = /^(?:https?:\/\/|mailto:)[^\s]/iu

/**
 * Returns the story as it may be shown: parsed as browsers do (parse5), reduced to the allow-list, with safe links; and again until
 * it no longer changes, because a browser parses the result once more and must find what was checked. Null if no text is left.
 * Throws `bad_input` (field `lifeStory`) for more than 32 levels, 50,000 characters of text, or a story that goes on changing.
 */
export function sanitizeLifeStory(html: string): string | null {
  let clean = sanitizeOnce(html)
  for (let round = 1; round < ROUNDS_MAX && clean !== null; round++) {
    const again = sanitizeOnce(clean)
    if (again === clean) return clean
    clean = again
  }
  if (clean !== null) throw storyError(serverMessages.memorial.storyTooNested)
  return null
}

function sanitizeOnce(html: string): string | null {
  const tree = parse(html)
  const parsed = tree && measureDepth(tree) <= STORY_LEVELS_MAX ? tree : null
  if (!parsed) throw storyError(serverMessages.memorial.storyTooNested)
  renameElements(parsed)
  const clean = sanitize(parsed, SCHEMA)
  if (clean.type !== 'root') return null
  cleanLinks(clean)
  cleanText(clean)
  const text = textOf(clean)
  if (text.trim() === '') return null
  if (codePoints(text) > LIFE_STORY_TEXT_MAX) throw storyError(messages.memorial.storyTooLong)
  return toHtml(clean, { characterReferences: { useNamedReferences: false } })
}

/** Returns a stored story for display. Sanitises it again if an older version stored it; null if that fails. */
export function readableLifeStory(stored: string | null, version: number): string | null {
  if (stored === null || version === LIFE_STORY_VERSION) return stored
  try {
    return sanitizeLifeStory(stored)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Parses the output of {@link readableLifeStory} into a tree; an empty list for null. */
export function readStoryTree(html: string | null): StoryNode[] {
  const tree = html === null ? null : parse(html)
  return tree && measureDepth(tree) <= STORY_LEVELS_MAX ? toStoryNodes(tree) : []
}

function toStoryNodes(parent: Root | Element): StoryNode[] {
  return parent.children.flatMap((node): StoryNode[] => {
    if (node.type === 'text') return [node.value]
    if (node.type !== 'element') return []
    const { href } = node.properties
    return [{ tag: node.tagName, href: typeof href === 'string' ? href : null, children: toStoryNodes(node) }]
  })
}

function storyError(message: string): AppError {
  return fieldError('bad_input', 'lifeStory', message)
}

/** Returns null if the input is too large or too deep for the parser. */
function parse(html: string): Root | null {
  try {
    const tree = fromParse5(parseFragment(html, { treeAdapter: boundedAdapter(), scriptingEnabled: false }))
    return tree.type === 'root' ? tree : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/**
 * Creates elements with no attribute but `href`, up to a limit. HTML reopens an unclosed `<b>` or `<a>` in every later
 * paragraph with all attributes: without the limit, 11 KB of input become 640,000 elements and crash the isolate.
 */
function boundedAdapter(): TreeAdapter<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  let elements = 0
  let addresses = 0
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      const allowed = tagName === 'a' ? attributes.filter(({ name }) => name === 'href') : []
      elements += 1
      addresses += allowed[0]?.value.length ?? 0
      if (elements > ELEMENTS_MAX || addresses > LIFE_STORY_HTML_MAX)
        throw new RangeError('too many elements')
      return defaultTreeAdapter.createElement(tagName, namespace, allowed)
    },
  }
}

/** Measures the nesting depth without recursion, because the input controls the depth. */
function measureDepth(tree: Root): number {
  let depth = 0
  let row = childElements(tree)
  while (row.length > 0 && depth <= STORY_LEVELS_MAX) {
    depth++
    row = row.flatMap(childElements)
  }
  return depth
}

function childElements(parent: Root | Element): Element[] {
  return parent.children.flatMap((node) => (node.type === 'element' ? [node] : []))
}

function elementsOf(parent: Root | Element): Element[] {
  const children = childElements(parent)
  return children.concat(children.flatMap(elementsOf))
}

function renameElements(tree: Root): void {
  for (const element of elementsOf(tree)) {
    element.tagName = REPLACEMENTS[element.tagName] ?? element.tagName
  }
}

function cleanLinks(tree: Root): void {
  for (const element of elementsOf(tree)) {
    if (element.tagName !== 'a') continue
    const { href } = element.properties
    element.properties = {}
    if (typeof href === 'string' && ABSOLUTE_URL.test(href)) {
      element.properties['href'] = href.toWellFormed()
      element.properties['rel'] = LINK_REL
    }
  }
}

/** Joins adjacent text nodes first, so that an accent composes with its letter, then cleans like all texts. */
function cleanText(parent: Root | Element): void {
  let before: Text | null = null
  for (const node of parent.children) {
    if (node.type === 'element') cleanText(node)
    if (node.type === 'text' && before) {
      before.value += node.value
      node.value = ''
    } else before = node.type === 'text' ? node : null
  }
  for (const node of parent.children) {
    if (node.type === 'text') node.value = cleanCharacters(node.value).replace(CONTROL, '')
  }
}

function textOf(parent: Root | Element): string {
  return parent.children
    .map((node) => (node.type === 'text' ? node.value : node.type === 'element' ? textOf(node) : ''))
    .join('')
}
