import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import { beganWith } from './stored-payer.ts'

/** The payment that was begun with this link on this device, as the provider knows it; also after coming back from Paynow's page. */
export function useBegunPayment(token: string | null) {
  const [id] = useState(
    () =>
      new URLSearchParams(window.location.search).get('paymentId') ??
      (token === null ? null : beganWith(token)),
  )
  return useQuery({
    queryKey: ['begun-payment', token, id],
    queryFn: () => call(api.syncLinkPayment, { params: { token: token ?? '', id: id ?? '' } }),
    enabled: token !== null && id !== null,
    retry: false,
  })
}
