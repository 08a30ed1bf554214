CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`item_id` text NOT NULL,
	`reporter` text NOT NULL,
	`reason` text NOT NULL,
	`words` text,
	`settled_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reports_once` ON `reports` (`item_id`,`reporter`);--> statement-breakpoint
CREATE INDEX `reports_memorial` ON `reports` (`memorial_id`,`item_id`);--> statement-breakpoint
CREATE INDEX `reports_open` ON `reports` (`created_at`,`id`) WHERE "reports"."settled_at" is null;--> statement-breakpoint
CREATE TABLE `word_rules` (
	`word` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `comments_held`;--> statement-breakpoint
ALTER TABLE `comments` ADD `held_as` text DEFAULT 'WAITING' NOT NULL;--> statement-breakpoint
ALTER TABLE `comments` ADD `held_reason` text;--> statement-breakpoint
ALTER TABLE `comments` ADD `decided_at` integer;--> statement-breakpoint
ALTER TABLE `comments` ADD `thanked_at` integer;--> statement-breakpoint
ALTER TABLE `comments` ADD `words_hash` text;--> statement-breakpoint
CREATE INDEX `comments_listed` ON `comments` (`memorial_id`,`created_at`,`id`,`is_held`) WHERE ("comments"."is_held" = 0 or "comments"."held_as" = 'WAITING');--> statement-breakpoint
CREATE INDEX `comments_decided` ON `comments` (`memorial_id`,`decided_at`,`id`) WHERE "comments"."decided_at" is not null;--> statement-breakpoint
CREATE INDEX `comments_decided_at` ON `comments` (`decided_at`) WHERE "comments"."decided_at" is not null;--> statement-breakpoint
CREATE INDEX `comments_words` ON `comments` (`words_hash`,`created_at`) WHERE "comments"."words_hash" is not null;--> statement-breakpoint
CREATE INDEX `comments_held` ON `comments` (`memorial_id`,`held_as`,`held_reason`,`created_at`,`id`) WHERE "comments"."is_held" = 1;--> statement-breakpoint
DROP INDEX `media_held`;--> statement-breakpoint
ALTER TABLE `media` ADD `held_as` text DEFAULT 'WAITING' NOT NULL;--> statement-breakpoint
ALTER TABLE `media` ADD `held_reason` text;--> statement-breakpoint
ALTER TABLE `media` ADD `decided_at` integer;--> statement-breakpoint
CREATE INDEX `media_listed` ON `media` (`memorial_id`,`created_at`,`id`,`is_held`) WHERE ("media"."is_held" = 0 or "media"."held_as" = 'WAITING');--> statement-breakpoint
CREATE INDEX `media_decided` ON `media` (`memorial_id`,`decided_at`,`id`) WHERE "media"."decided_at" is not null;--> statement-breakpoint
CREATE INDEX `media_decided_at` ON `media` (`decided_at`) WHERE "media"."decided_at" is not null;--> statement-breakpoint
CREATE INDEX `media_held` ON `media` (`memorial_id`,`held_as`,`held_reason`,`created_at`,`id`) WHERE "media"."is_held" = 1;--> statement-breakpoint
ALTER TABLE `contributors` ADD `mail_token_hash` text;--> statement-breakpoint
ALTER TABLE `contributors` ADD `blocked_at` integer;--> statement-breakpoint
ALTER TABLE `contributors` ADD `device_hash` text;--> statement-breakpoint
CREATE INDEX `contributors_blocked` ON `contributors` (`memorial_id`,`device_hash`) WHERE "contributors"."blocked_at" is not null;--> statement-breakpoint
ALTER TABLE `memorials` ADD `tell_owner` text DEFAULT 'AT_ONCE' NOT NULL;--> statement-breakpoint
ALTER TABLE `memorials` ADD `tell_at` integer;--> statement-breakpoint
ALTER TABLE `memorials` ADD `told_at` integer;--> statement-breakpoint
CREATE INDEX `memorials_tell` ON `memorials` (`tell_at`) WHERE "memorials"."tell_at" is not null;