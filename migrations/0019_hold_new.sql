ALTER TABLE `comments` ADD `is_held` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_held` ON `comments` (`memorial_id`,`created_at`,`id`) WHERE "comments"."is_held" = 1;--> statement-breakpoint
ALTER TABLE `media` ADD `is_held` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `media_held` ON `media` (`memorial_id`,`created_at`,`id`) WHERE "media"."is_held" = 1;--> statement-breakpoint
ALTER TABLE `memorials` ADD `hold_new` integer DEFAULT false NOT NULL;