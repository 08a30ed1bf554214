import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { funeralCalendar } from '#worker/features/funeral/funeral-calendar.ts'
import { deleteService, toFuneralEvent, visibleRows } from '#worker/features/funeral/funeral.ts'
import { programmeDownload, saveProgramme } from '#worker/features/funeral/programme.ts'
import { addService, saveFirstService, updateService } from '#worker/features/funeral/save-gathering.ts'
import { findLocation } from '#worker/features/location/location.ts'
import { forViewers, forEditors } from '#worker/access/memorial-access.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'
import { route, type App } from '#worker/access/route.ts'

export function funeralRoutes(app: App): void {
  route(app, api.saveFuneral, forEditors, ({ ctx, access, body }) => saveFirstService(ctx, access, body))
  route(app, api.funeralEvents, forViewers, async ({ ctx, access }) => ({
    funeralEvents: (await visibleRows(ctx, access)).map((row) => toFuneralEvent(row, access)),
  }))
  route(app, api.addFuneralEvent, forEditors, ({ ctx, access, body }) => addService(ctx, access, body))
  route(app, api.updateFuneralEvent, forEditors, ({ ctx, access, params, body }) =>
    updateService(ctx, access, params.eventId, body),
  )
  route(app, api.deleteFuneralEvent, forEditors, async ({ ctx, access, params }) => {
    await deleteService(ctx, access, params.eventId)
    return null
  })
  route(app, api.uploadProgramme, forEditors, ({ ctx, access }) => saveProgramme(ctx, access))
  route(app, api.programme, forViewers, ({ ctx, access, query }) =>
    programmeDownload(ctx, access, query.event),
  )
  route(app, api.calendar, forViewers, async ({ ctx, access, query }) => {
    const { memorial } = access
    const rows = await visibleRows(ctx, access)
    const services = rows.filter((row) => query.event === undefined || row.id === query.event)
    const isFeed = query.feed !== undefined
    // Whoever subscribed keeps the feed after the last gathering is removed from it.
    if (services.length === 0 && !isFeed) throw new AppError('not_found', funeralMessages.notFound)
    const calendar = funeralCalendar({
      honoureeFullName: memorial.honoureeFullName,
      memorialUrl: publicLink(ctx, memorial),
      isPublic: memorial.privacy === 'LOCKED',
      services,
      sight: access,
      isFeed,
      location: await findLocation(ctx, access),
    })
    return new Response(calendar, {
      headers: {
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': contentDisposition(isFeed ? 'inline' : 'attachment', `${memorial.slug}.ics`),
      },
    })
  })
}
