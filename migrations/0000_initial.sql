CREATE TABLE `account_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_tokens_user` ON `account_tokens` (`user_id`,`kind`);--> statement-breakpoint
CREATE INDEX `account_tokens_expires` ON `account_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`password_hash` text NOT NULL,
	`role` text DEFAULT 'USER' NOT NULL,
	`email_verified_at` integer,
	`session_epoch` integer DEFAULT 0 NOT NULL,
	`suspended_at` integer,
	`deleted_at` integer,
	`terms_accepted_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_unverified` ON `users` (`email_verified_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `users_deleted` ON `users` (`deleted_at`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`actor_id` text,
	`action` text NOT NULL,
	`target_kind` text NOT NULL,
	`target_id` text NOT NULL,
	`memorial_id` text,
	`detail` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_created` ON `audit_log` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_memorial` ON `audit_log` (`memorial_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `comment_likes` (
	`comment_id` text NOT NULL,
	`liked_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`comment_id`, `liked_by`),
	FOREIGN KEY (`comment_id`) REFERENCES `comments`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `comments` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`body` text NOT NULL,
	`author_user_id` text,
	`author_contributor_id` text,
	`like_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`author_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_contributor_id`) REFERENCES `contributors`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `comments_memorial` ON `comments` (`memorial_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `comments_contributor` ON `comments` (`author_contributor_id`);--> statement-breakpoint
CREATE TABLE `contact_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`subject` text NOT NULL,
	`message` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `contact_messages_created` ON `contact_messages` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `funeral_events` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`position` integer NOT NULL,
	`title` text,
	`date_time` integer NOT NULL,
	`time_zone` text NOT NULL,
	`venue_name` text,
	`address_line` text,
	`city` text,
	`region` text,
	`country` text,
	`postal_code` text,
	`notes` text,
	`programme_key` text,
	`programme_name` text,
	`programme_size` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "funeral_events_position_range" CHECK("funeral_events"."position" BETWEEN 1 AND 4)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `funeral_events_position` ON `funeral_events` (`memorial_id`,`position`);--> statement-breakpoint
CREATE INDEX `funeral_events_time` ON `funeral_events` (`memorial_id`,`date_time`);--> statement-breakpoint
CREATE TABLE `contributors` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`invite_token` text NOT NULL,
	`display_name` text NOT NULL,
	`is_guest` integer NOT NULL,
	`email` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invite_token`) REFERENCES `invite_tokens`(`token`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `contributors_memorial` ON `contributors` (`memorial_id`);--> statement-breakpoint
CREATE INDEX `contributors_expires` ON `contributors` (`expires_at`);--> statement-breakpoint
CREATE TABLE `invite_tokens` (
	`token` text PRIMARY KEY NOT NULL,
	`status` text DEFAULT 'AVAILABLE' NOT NULL,
	`memorial_id` text,
	`assigned_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `invite_tokens_status` ON `invite_tokens` (`status`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `invite_tokens_live` ON `invite_tokens` (`memorial_id`) WHERE "invite_tokens"."status" = 'ASSIGNED';--> statement-breakpoint
CREATE INDEX `invite_tokens_memorial` ON `invite_tokens` (`memorial_id`);--> statement-breakpoint
CREATE TABLE `locations` (
	`memorial_id` text PRIMARY KEY NOT NULL,
	`label` text,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`subject_id` text NOT NULL,
	`status` text DEFAULT 'QUEUED' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`claimed_until` integer,
	`sent_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mails_status` ON `mails` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `mails_subject` ON `mails` (`subject_id`,`kind`);--> statement-breakpoint
CREATE TABLE `media` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`contributor_id` text,
	`type` text NOT NULL,
	`mime_type` text NOT NULL,
	`size` integer NOT NULL,
	`width` integer,
	`height` integer,
	`duration_sec` real,
	`original_file_name` text NOT NULL,
	`caption` text,
	`object_key` text NOT NULL,
	`has_thumbnail` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`contributor_id`) REFERENCES `contributors`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `media_memorial` ON `media` (`memorial_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `media_contributor` ON `media` (`contributor_id`);--> statement-breakpoint
CREATE TABLE `object_deletions` (
	`prefix` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `object_deletions_created` ON `object_deletions` (`created_at`);--> statement-breakpoint
CREATE TABLE `memorials` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`slug` text NOT NULL,
	`honouree_full_name` text NOT NULL,
	`title` text,
	`date_of_birth` text,
	`date_of_death` text,
	`cover_media_id` text,
	`profile_media_id` text,
	`life_story` text,
	`life_story_version` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'DRAFT' NOT NULL,
	`privacy` text DEFAULT 'PRIVATE' NOT NULL,
	`locked_at` integer,
	`show_location` integer DEFAULT false NOT NULL,
	`allow_search_engines` integer DEFAULT false NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `memorials_slug` ON `memorials` (`slug`);--> statement-breakpoint
CREATE INDEX `memorials_owner` ON `memorials` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `memorials_created` ON `memorials` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `memorials_status` ON `memorials` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `memorials_deleted` ON `memorials` (`deleted_at`);--> statement-breakpoint
CREATE TABLE `retired_slugs` (
	`slug` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payments` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`target_memorial_id` text,
	`memorial_id` text,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`provider` text NOT NULL,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`provider_intent_id` text,
	`idempotency_key` text NOT NULL,
	`paid_at` integer,
	`refund_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payments_intent` ON `payments` (`provider_intent_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payments_memorial` ON `payments` (`memorial_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payments_open` ON `payments` (`user_id`,coalesce("target_memorial_id", '')) WHERE "payments"."status" = 'PENDING';--> statement-breakpoint
CREATE INDEX `payments_user` ON `payments` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `payments_status` ON `payments` (`status`,`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`outcome` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_events_received` ON `webhook_events` (`received_at`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`actor_id` text NOT NULL,
	`key` text NOT NULL,
	`result_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`actor_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);