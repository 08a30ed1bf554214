import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { reportMessages } from '#shared/removal/report-messages.ts'
import { links } from '#client/lib/links.ts'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import { ReportForm } from '#client/ui/report-form.tsx'
import styles from '../../ui/page.module.css'

const ITEM = /^(?:com|med)_[a-z0-9]+$/u

/** `/report?item=…`: where "Report" leads without script. */
export default function ReportPage() {
  const [search] = useSearchParams()
  const [isSent, setSent] = useState(search.has('sent'))
  const item = ITEM.exec(search.get('item') ?? '')?.[0]
  const { thanksTitle, thanks } = reportMessages
  if (isSent) {
    return (
      <Page width="form">
        <PageTitle key="sent" takesFocus>
          {thanksTitle}
        </PageTitle>
        <Notice kind="success">
          <p>{thanks}</p>
        </Notice>
      </Page>
    )
  }
  return (
    <Page width="form">
      <PageTitle key="form">
        {`Report this ${item?.startsWith('med_') ? 'photo or recording' : 'message'}`}
      </PageTitle>
      {item === undefined ? (
        <p>Open the memorial, and press “Report” beside what you mean.</p>
      ) : (
        <ReportForm id={item} onSent={() => setSent(true)} />
      )}
      <p className={styles.afterForm}>
        If it concerns you, you can also <Link to={links.requestRemoval}>ask us to remove it</Link>.
      </p>
    </Page>
  )
}
