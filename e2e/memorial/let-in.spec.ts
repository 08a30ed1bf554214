import { letInFamilyMessages } from '../../src/shared/invites/let-in-family-messages.ts'
import { letInMessages } from '../../src/shared/invites/let-in-messages.ts'
import { LET_IN_WAITING_MAX } from '../../src/shared/limits.ts'
import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, postMessage } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

for (const [width, javaScriptEnabled] of [
  [360, true],
  [1280, false],
] as const) {
  test(`somebody asks and is let in at ${width} px (script: ${javaScriptEnabled})`, async ({
    browser,
    family,
    world,
  }) => {
    expectErrors(refusedWith(400), refusedWith(403))
    const { memorial } = await family.invited()
    const email = `asking-${width}-${Date.now()}@relative.test`
    const page = await family.visitorPage(width, `/memorial/${memorial.id}`, { javaScriptEnabled })
    const title = page.getByRole('heading', { level: 1 })
    await page.getByRole('link', { name: letInMessages.title }).click()
    await expect(title).toHaveText(letInMessages.title)
    await page.getByRole('button', { name: 'Ask the family' }).click()
    await expect(page.getByText(letInMessages.relationRequired).first()).toBeVisible()
    if (javaScriptEnabled) await expectAccessible(page, 'the page for asking')
    else expect(await violationsWithoutScript(browser, page)).toEqual([])
    await expectNoSidewaysScroll(page)
    await page.getByLabel('Your name').fill('Rudo Banda')
    await page.getByLabel(letInMessages.relationLabel).fill('Her pupil')
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Ask the family' }).click()
    await expect(title).toHaveText(letInMessages.askedTitle)

    const owner = await family.ownerPage(width, `/memorial/${memorial.id}`)
    await expect(owner.getByText('1 new thing is waiting for you')).toBeVisible()
    const request = owner.getByRole('listitem').filter({ hasText: 'Rudo Banda: Her pupil' })
    await expect(request).toContainText(email)
    await expectNoSidewaysScroll(owner)
    await world.db
      .prepare(
        `INSERT INTO let_in_requests SELECT asked.id || value, memorial_id, name, 'Her cousin', value, NULL, NULL, asked.id || value, created_at
         FROM let_in_requests asked, json_each(?) WHERE memorial_id = ?`,
      )
      .bind(JSON.stringify(Array.from({ length: LET_IN_WAITING_MAX - 1 }, (_, n) => n)), memorial.id)
      .run()
    await owner.reload()
    await expect(owner.getByText(letInFamilyMessages.full)).toBeVisible()
    await request.getByRole('button', { name: 'Let in: Rudo Banda' }).click()
    await expect(request).toBeHidden()
    await expect(owner.getByText(letInFamilyMessages.full)).toBeHidden()

    const mail = await world.mailTo(email, /The family lets you in/u)
    await page.goto(/https?:\/\/\S+\/let-in\/[\w-]+/u.exec(mail.text)?.[0] ?? '')
    await expect(title).toHaveText(letInMessages.openTitle)
    await page.getByRole('button', { name: letInMessages.openButton }).click()
    await expect(title).toHaveText('Sekai Ndlovu')
    if (!javaScriptEnabled) return
    await postMessage(page, 'She taught me to read.')
    await expect(page.getByRole('listitem').filter({ hasText: 'She taught me to read.' })).toContainText(
      'Rudo Banda',
    )
  })
}
