ALTER TABLE `media` ADD `alt` text;--> statement-breakpoint
ALTER TABLE `media` ADD `placeholder` text;--> statement-breakpoint
ALTER TABLE `media` ADD `poster_key` text;