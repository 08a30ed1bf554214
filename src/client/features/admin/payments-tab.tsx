import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { useMediaQuery } from '#client/lib/media-query.ts'
import { useReload, useTabData } from './admin.queries.ts'
import { ListTools } from './list-tools.tsx'
import { PagedList } from './paged-list.tsx'
import { PaymentCards, PaymentTable } from './payment-rows.tsx'
import { RowSkeletons } from './row-skeletons.tsx'
import { usePageAddress } from './use-page-address.ts'

/** Every payment, newest first. */
export function PaymentsTab() {
  const reload = useReload(api.adminPayments)
  const { page, search, onPage, onSearch } = usePageAddress()
  const { data, isFetching } = useTabData(api.adminPayments, { query: { page, search } })
  const isWide = useMediaQuery('(min-width: 72rem)')
  return (
    <>
      <ListTools
        label="Search payments"
        hint="Type “refund” for the ones to pay back, “failed” for those that did not go through."
        placeholder="Search by name or email"
        search={search}
        isBusy={isFetching}
        onSearch={onSearch}
        onRefresh={reload}
      />
      {!data && <RowSkeletons label="Loading payments" height={isWide ? '2.5rem' : '9rem'} />}
      {data && (
        <PagedList
          noun={['payment', 'payments']}
          page={page}
          pageSize={data.pageSize}
          total={data.total}
          hasMore={data.hasMore}
          isBusy={isFetching}
          onPage={onPage}
        >
          {data.payments.length === 0 && <Empty isSearch={search !== ''} />}
          {data.payments.length > 0 &&
            (isWide ? <PaymentTable payments={data.payments} /> : <PaymentCards payments={data.payments} />)}
        </PagedList>
      )}
    </>
  )
}

function Empty({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <p>{messages.admin.noPaymentsFound}</p>
  return (
    <p>
      {messages.admin.emptyPayments}. {messages.admin.emptyPaymentsText}
    </p>
  )
}
