import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { THANKS } from '#shared/payments/pay-link-fields.ts'
import { THANKS_MAX } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { firstNameOf } from '#shared/pages/page-titles.ts'
import { call } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { checkFields, useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextAreaField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** Says who has paid for this account, until they have been thanked. */
export function ThankPayer({ memorials }: { memorials: readonly Memorial[] }) {
  const { data } = useQuery(endpointQuery(api.userPayments, {}))
  const [thanking, setThanking] = useState<Payment | null>(null)
  const unthanked = data?.payments.filter(
    ({ paidBy, isThanked, status }) => paidBy && !isThanked && status === 'PAID',
  )
  const whatOf = ({ memorialId }: Payment) => {
    const memorial = memorials.find(({ id }) => id === memorialId)
    return memorial ? `the memorial of ${memorial.honoureeFullName}` : 'you'
  }
  return (
    <>
      {unthanked?.map((payment) => (
        <Notice
          key={payment.id}
          kind="success"
          title={`${payment.paidBy ?? ''} has paid for ${whatOf(payment)}`}
        >
          <p>There is nothing more to pay. You can send a few words of thanks: we pass them on by email.</p>
          <Button onClick={() => setThanking(payment)}>Say thank you</Button>
        </Notice>
      ))}
      {thanking && <ThanksDialog payment={thanking} onClose={() => setThanking(null)} />}
    </>
  )
}

function ThanksDialog({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const client = useQueryClient()
  const name = firstNameOf(payment.paidBy ?? '')
  const { form, field } = useForm({
    name: 'thanks',
    initial: { words: `Dear ${name}, thank you. It means a lot to us.` },
    check: (values) => checkFields({ words: THANKS }, values),
    async send(body) {
      await call(api.thankPayer, { params: { id: payment.id }, body })
      showToast({ title: payLinkMessages.thanked })
      await client.invalidateQueries({ queryKey: [api.userPayments.path] })
      onClose()
    },
    fallback: messages.system.internal,
  })
  return (
    <Dialog title={`Thank ${name}`} onClose={onClose}>
      <Form title="Your thanks weren’t sent" form={form} submit="Send" submitting="Sending…">
        <TextAreaField {...field('words')} label="Your words" rows={4} max={THANKS_MAX} />
      </Form>
      <DialogActions>
        <Button onClick={onClose}>Not now</Button>
      </DialogActions>
    </Dialog>
  )
}
