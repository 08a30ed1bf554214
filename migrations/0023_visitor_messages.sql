ALTER TABLE `comments` ADD `visitor_name` text;--> statement-breakpoint
ALTER TABLE `comments` ADD `visitor_relation` text;--> statement-breakpoint
ALTER TABLE `memorials` ADD `visitor_messages` text DEFAULT 'NOBODY' NOT NULL;