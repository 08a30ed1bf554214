DROP INDEX `funeral_events_time`;--> statement-breakpoint
DROP INDEX `contributors_named`;--> statement-breakpoint
DROP INDEX `contributors_memorial`;--> statement-breakpoint
DROP INDEX `contributors_expires`;--> statement-breakpoint
CREATE INDEX `contributors_memorial` ON `contributors` (`memorial_id`,`is_guest`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `contributors_expires` ON `contributors` (`expires_at`) WHERE "contributors"."is_guest" = 1 or "contributors"."token_hash" is not null;--> statement-breakpoint
DROP INDEX `media_contributor`;--> statement-breakpoint
DROP INDEX `media_person`;--> statement-breakpoint
CREATE INDEX `media_person` ON `media` (`contributor_id`,`memorial_id`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `comments_created`;--> statement-breakpoint
CREATE INDEX `comments_created` ON `comments` (`created_at`);