import type { Page } from '@playwright/test'
import type { Memorial, MemorialView } from '../../src/shared/memorials/memorials.ts'
import { expect, test } from '../family.ts'
import { next, open, stepTitle, story, writeStory } from '../wizard-screen.ts'
import { expectErrors, refusedWith } from '../world.ts'
import { collect } from '../people.ts'

type Pasted = { from: string; html?: string; text: string; stored: string }

/** Clipboard contents of these programs, shortened. */
const PASTES: Pasted[] = [
  {
    from: 'Word',
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15"><link rel=File-List href="file:///C:/filelist.xml">
<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]-->
<style><!-- p.MsoNormal, li.MsoNormal {mso-style-parent:""; margin:0cm; font-family:"Calibri",sans-serif;} --></style></head>
<body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment-->
<h1 style='mso-outline-level:1'>Early years<o:p></o:p></h1>
<p class=MsoNormal style='margin-bottom:8.0pt'><span style='mso-fareast-language:EN-US'>Born in <b style='mso-bidi-font-weight:normal'>Mutare</b>, she <i>loved</i> <u>music</u>.<o:p></o:p></span></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Rudo<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Farai<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>1.<span>&nbsp; </span></span><![endif]>First<o:p></o:p></p>
<!--EndFragment--></body></html>`,
    text: 'Early years',
    stored:
      '<h2>Early years</h2><p>Born in <strong>Mutare</strong>, she <em>loved</em> <u>music</u>.</p><ul><li><p>Rudo</p></li><li><p>Farai</p></li></ul><p>\u00a0</p><ol><li><p>First</p></li></ol>',
  },
  {
    from: 'Google Docs',
    html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.38;"><span style="font-size:11pt;font-weight:400;white-space:pre-wrap;">She was </span><span style="font-weight:700;">kind</span><span style="font-style:italic;"> always</span></p><ul style="padding-inline-start:48px;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" role="presentation"><span>One</span></p></li><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>Two</span></p></li></ul></b>`,
    text: 'She was kind always',
    stored:
      '<p>She was <strong>kind</strong><em> always</em></p><ul><li><p>One</p></li><li><p>Two</p></li></ul>',
  },
  {
    from: 'WhatsApp, as text',
    text: '[12:30, 03/02/2026] Farai: She was *the best* _ever_\n[12:31, 03/02/2026] Rudo: ~no~ ```never``` 😢 <3\nhttps://chat.example/x',
    stored:
      '<p>[12:30, 03/02/2026] Farai: She was *the best* _ever_</p><p>[12:31, 03/02/2026] Rudo: ~no~ ```never``` 😢 &#x3C;3</p><p>https://chat.example/x</p>',
  },
  {
    from: 'WhatsApp Web',
    html: `<div class="copyable-text" data-pre-plain-text="[12:30, 03/02/2026] Farai: "><span dir="ltr" class="_ao3e selectable-text copyable-text"><span>She was <strong class="x">the best</strong> <em class="y">ever</em></span></span></div><div class="copyable-text"><span>Zororai murugare</span></div>`,
    text: 'She was the best ever',
    stored: '<p>She was <strong>the best</strong> <em>ever</em></p><p>Zororai murugare</p>',
  },
  {
    from: 'Gmail',
    html: `<div dir="ltr">Dear all,<div><br></div><div>He <b>never</b> complained.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204)"><div>He sang.</div></blockquote></div></div>`,
    text: 'Dear all,',
    stored:
      '<p>Dear all,</p><p>He <strong>never</strong> complained.</p><p><br></p><p>On Mon wrote:</p><blockquote><p>He sang.</p></blockquote>',
  },
  {
    from: 'a web page',
    html: `<article class="post" id="root" style="position:fixed;inset:0" onclick="alert(1)"><h2 class="title">Obituary</h2><img src="https://evil.example/x.png" onerror="alert(1)" alt="Photo"><script>alert(1)</script><table class="t"><tbody><tr><th>Name</th><th>Born</th></tr><tr><td>Tendai <b>Moyo</b></td><td>1948</td></tr></tbody></table><p>See <a href="https://a.example/" target="_blank" onclick="alert(1)" class="fixed inset-0">this</a> and <a href="javascript:alert(1)">that</a></p><iframe src="javascript:alert(1)"></iframe></article>`,
    text: 'Obituary',
    stored:
      '<h2>Obituary</h2><p>Name · Born</p><p>Tendai <strong>Moyo</strong> · 1948</p><p>See <a href="https://a.example/" rel="noopener nofollow ugc">this</a> and that</p>',
  },
]

/** Pastes it into the editor, as the browser does, and replaces the whole text. */
async function paste(page: Page, { html, text }: Pasted): Promise<void> {
  await story(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await story(page).evaluate(
    (editor, kinds) => {
      const clipboardData = new DataTransfer()
      for (const [kind, data] of kinds) if (data !== undefined) clipboardData.setData(kind, data)
      editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    [
      ['text/html', html],
      ['text/plain', text],
    ] as const,
  )
}

/** The local draft of the story. */
function draftHtml(page: Page): Promise<string> {
  return page.evaluate(() => {
    const found = Object.values(localStorage).map(
      (value) => /"html":("(?:[^"\\]|\\.)*")/u.exec(String(value))?.[1],
    )
    return JSON.parse(found.find((html) => html !== undefined) ?? '""') as string
  })
}

test('pasted content keeps its text and lists, and nothing else', async ({ page, world, family }) => {
  // The browser logs this for styles and event handlers when it parses the pasted HTML in an inert document.
  expectErrors(/violates the following Content Security Policy/u)
  const memorial = await family.memorial()
  await family.signIn(page)
  const foreign = collect(page, (request) =>
    !request.url().startsWith(world.url) && /^https?:/u.test(request.url()) ? request.url() : undefined,
  )
  await page.goto(`/create-memorial/${memorial.id}?step=4`)
  const found: Record<string, string | null> = {}
  for (const pasted of PASTES) {
    await paste(page, pasted)
    const { lifeStory } = await family.owner.call<Memorial>('PATCH', `/api/memorials/${memorial.id}`, {
      lifeStory: await draftHtml(page),
    })
    found[pasted.from] = lifeStory
  }
  expect(found).toEqual(Object.fromEntries(PASTES.map(({ from, stored }) => [from, stored])))
  expect(foreign.filter((url) => !url.includes('stripe') && !url.startsWith(world.sandboxUrl))).toEqual([])
})

test('a story that is refused for its formatting says that, and stays in the editor', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(400))
  const memorial = await family.memorial()
  await family.signIn(page)
  await page.goto(`/create-memorial/${memorial.id}?step=4`)
  // Short enough as text; the tags around each letter make it more than 100,000 characters.
  const html = `<p>${'<b>x</b><i>y</i>'.repeat(3600)}</p>`
  await paste(page, { from: 'a converter', html, text: '', stored: '' })
  await next(page).click()
  const said = 'The life story has too much formatting to be saved. Please paste it as plain text.'
  await expect(page.locator('form').getByText(said)).toBeVisible()
  await expect(story(page)).toContainText('xyxyxy')
  await expect(page.getByText('The life story must be 50,000 characters or less')).toHaveCount(0)
})

test('a question without an answer stays in the editor and out of the story', async ({ page, family }) => {
  const { id } = await family.memorial()
  await family.signIn(page)
  await open(page, id, 4)
  const savedStory = async () =>
    (await family.owner.call<MemorialView>('GET', `/api/memorials/${id}`)).memorial.lifeStory
  const question = 'What did they always say?'
  await writeStory(page, 'She taught.')
  await page.getByText('Questions that may help').click()
  await page.getByRole('button', { name: question }).click()
  await next(page).click()
  await expect(stepTitle(page, 'Privacy & Sharing')).toBeVisible()
  expect(await savedStory()).toBe('<p>She taught.</p>')

  await page.reload()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(story(page).getByRole('heading', { name: question })).toBeVisible()
  await expect(page.getByText('Your words are still here')).toHaveCount(0)
  await story(page).press('ControlOrMeta+End')
  await page.keyboard.type('Wait and see.')
  await next(page).click()
  await expect(stepTitle(page, 'Privacy & Sharing')).toBeVisible()
  expect(await savedStory()).toBe(`<p>She taught.</p><h3>${question}</h3><p>Wait and see.</p>`)

  // Changed elsewhere, with nothing but a question left here: the newer story shows.
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText('Questions that may help').click()
  await page.getByRole('button', { name: 'Who did they raise?' }).click()
  await family.owner.call('PATCH', `/api/memorials/${id}`, { lifeStory: '<p>Theirs.</p>' })
  await page.reload()
  await expect(story(page)).toHaveText('Theirs.')
  await expect(page.getByText('Changed on another device')).toHaveCount(0)
})
