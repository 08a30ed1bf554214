import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { api } from '#shared/api.ts'
import type { AccountKeys } from '#shared/accounts/passkeys.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { allQueriesOf } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import styles from './sign-in-keys.module.css'

/** Ten codes on paper, for whoever loses password and mailbox. They are shown once. */
export function PrintedCodes({ keys, email }: { keys: AccountKeys; email: string }) {
  const [isAsking, setAsking] = useState(false)
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () => call(api.makePrintedCodes, {}),
    onSettled: async () => {
      setAsking(false)
      await client.invalidateQueries(allQueriesOf(api.accountKeys))
    },
  })
  const { printedCodes: there } = keys
  return (
    <section className={styles.section} aria-labelledby="printed-codes">
      <h3 id="printed-codes">Printed codes</h3>
      <p>
        If you lose your password and your mailbox, one of these codes still lets you in. Keep them on paper,
        somewhere safe.
      </p>
      {make.data ? (
        <NewCodes
          codes={make.data.codes}
          email={email}
          madeAt={make.submittedAt}
          onClose={() => make.reset()}
        />
      ) : (
        <>
          <p>
            {there
              ? `${there.left === 1 ? '1 code is' : `${there.left} codes are`} left of those from ${formatDate(there.madeAt)}.`
              : 'You have no codes yet.'}
          </p>
          <ActionFailed title="No codes were made" error={make.error} />
          {keys.missing === null && (
            <Button isBusy={make.isPending} onClick={() => (there ? setAsking(true) : make.mutate())}>
              {there ? 'Make new codes' : 'Make ten codes'}
            </Button>
          )}
        </>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Make new codes?"
          confirmLabel="Make new codes"
          keepLabel="Keep the old ones"
          busy={make.isPending}
          onConfirm={() => make.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>The codes you have on paper stop working.</p>
        </ConfirmDialog>
      )}
    </section>
  )
}

type Made = { codes: string[]; email: string; madeAt: number }

function NewCodes({ codes, email, madeAt, onClose }: Made & { onClose: () => void }) {
  const list = (
    <ol className={styles.codes}>
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ol>
  )
  return (
    <>
      <Notice kind="success" takesFocus>
        <p>Here are your ten codes. We can’t show them again: please print them, or write them down.</p>
      </Notice>
      {list}
      <div className="row">
        <Button variant="primary" onClick={() => window.print()}>
          Print the codes
        </Button>
        <Button onClick={onClose}>I’ve kept them</Button>
      </div>
      {createPortal(<Sheet codes={codes} email={email} madeAt={madeAt} />, document.body)}
    </>
  )
}

/** What is printed, instead of everything else on the page. */
function Sheet({ codes, email, madeAt }: Made) {
  return (
    <div className={styles.sheet} aria-hidden="true">
      <p className={styles.title}>Codes for your memorials</p>
      <p>
        For the account {email}, made on {formatDate(new Date(madeAt).toISOString())}. Each code works once.
        Keep this page where only you, and people you trust, find it.
      </p>
      <ol>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p>
        To use one: open {window.location.origin + links.printedCode}, give your email address and a code, and
        choose a new password.
      </p>
    </div>
  )
}
