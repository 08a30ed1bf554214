CREATE TABLE `__new_funeral_events` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`position` integer NOT NULL,
	`kind` text DEFAULT 'OTHER' NOT NULL,
	`title` text,
	`date_time` integer NOT NULL,
	`ends_at` integer,
	`time_zone` text NOT NULL,
	`venue_name` text,
	`address_line` text,
	`city` text,
	`region` text,
	`country` text,
	`postal_code` text,
	`latitude` real,
	`longitude` real,
	`way_there` text,
	`notes` text,
	`dress` text,
	`bring` text,
	`contact` text,
	`contact_for` text DEFAULT 'FAMILY' NOT NULL,
	`audience` text DEFAULT 'EVERYBODY' NOT NULL,
	`stream_url` text,
	`recording_url` text,
	`programme_key` text,
	`programme_name` text,
	`programme_size` integer,
	`is_cancelled` integer DEFAULT false NOT NULL,
	`sequence` integer DEFAULT 0 NOT NULL,
	`changed_at` integer,
	`changed_from` text,
	`takes_replies` integer DEFAULT false NOT NULL,
	`capacity` integer,
	`replies_until` integer,
	`keep_replies` integer DEFAULT false NOT NULL,
	`people_coming` integer DEFAULT 0 NOT NULL,
	`turns_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "funeral_events_position_range" CHECK("position" BETWEEN 1 AND 12)
);
--> statement-breakpoint
INSERT INTO `__new_funeral_events` ("kind", "turns_at", "id", "memorial_id", "position", "title", "date_time", "time_zone", "venue_name", "address_line", "city", "region", "country", "postal_code", "notes", "programme_key", "programme_name", "programme_size", "created_at", "updated_at")
SELECT CASE lower(trim("title"))
    WHEN 'church service' THEN 'CHURCH' WHEN 'body viewing' THEN 'VIEWING' WHEN 'vigil' THEN 'WAKE' WHEN 'wake' THEN 'WAKE'
    WHEN 'burial' THEN 'BURIAL' WHEN 'burial service' THEN 'BURIAL' WHEN 'cremation' THEN 'CREMATION' ELSE 'OTHER' END,
  -- The next run of the schedule finds out when the page of an upcoming service changes.
  CASE WHEN "date_time" > (unixepoch() - 4 * 86400) * 1000 THEN 0 END,
  "id", "memorial_id", "position", "title", "date_time", "time_zone", "venue_name", "address_line", "city", "region", "country", "postal_code", "notes", "programme_key", "programme_name", "programme_size", "created_at", "updated_at"
FROM `funeral_events`;--> statement-breakpoint
DROP TABLE `funeral_events`;--> statement-breakpoint
ALTER TABLE `__new_funeral_events` RENAME TO `funeral_events`;--> statement-breakpoint
CREATE UNIQUE INDEX `funeral_events_position` ON `funeral_events` (`memorial_id`,`position`);--> statement-breakpoint
CREATE INDEX `funeral_events_turns` ON `funeral_events` (`turns_at`) WHERE "funeral_events"."turns_at" is not null;--> statement-breakpoint
CREATE TABLE `replies` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`answer` text NOT NULL,
	`people` integer NOT NULL,
	`name` text NOT NULL,
	`words` text,
	`email` text,
	`device_hash` text NOT NULL,
	`knows` text NOT NULL,
	`knew_before` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `funeral_events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `replies_event` ON `replies` (`event_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `replies_device` ON `replies` (`device_hash`,`event_id`);