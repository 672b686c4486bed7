// Reads a text with libyaml, up to the end of its first document, and writes the events into one buffer of numbers:
// how many of them, SIZE numbers for each, then the bytes of all strings. events.py says what the numbers are.
#include <stdlib.h>
#include <string.h>

#include "yaml.h"

enum { SIZE = 11, ERROR = 99 };

static unsigned char *input;
static int *numbers;
static size_t count, room;
static unsigned char *strings;
static size_t used, space;

static void *grown(void *old, size_t size) {
  void *more = realloc(old, size);
  if (!more) __builtin_trap();
  return more;
}

static void number(int value) {
  if (count == room) numbers = grown(numbers, (room = room * 2 + 1024) * sizeof *numbers);
  numbers[count++] = value;
}

static void string(const void *value, size_t length) {
  if (!value) {
    number(-1);
    number(0);
    return;
  }
  if (used + length > space) strings = grown(strings, space = (used + length) * 2 + 1024);
  memcpy(strings + used, value, length);
  number((int)used);
  number((int)length);
  used += length;
}

static void text(const void *value) { string(value, value ? strlen(value) : 0); }

static void event(int kind, size_t start, size_t end, int style, int flag) {
  number(kind);
  number((int)start);
  number((int)end);
  number(style);
  number(flag);
}

static void failure(const yaml_parser_t *parser) {
  event(ERROR, parser->context ? parser->context_mark.index : (size_t)-1, parser->problem_mark.index, 0, 0);
  text(parser->context);
  text(parser->problem);
  text(NULL);
}

static void write_event(const yaml_event_t *read) {
  size_t start = read->start_mark.index, end = read->end_mark.index;
  const yaml_version_directive_t *version;
  switch (read->type) {
    case YAML_DOCUMENT_START_EVENT:
      version = read->data.document_start.version_directive;
      event(read->type, start, end, version ? version->major * 100 + version->minor : 0, 0);
      break;
    case YAML_DOCUMENT_END_EVENT:
      event(read->type, start, end, 0, !read->data.document_end.implicit);
      break;
    case YAML_ALIAS_EVENT:
      event(read->type, start, end, 0, 0);
      text(NULL);
      text(read->data.alias.anchor);
      text(NULL);
      return;
    case YAML_SCALAR_EVENT:
      event(read->type, start, end, read->data.scalar.style, 0);
      string(read->data.scalar.value, read->data.scalar.length);
      text(read->data.scalar.anchor);
      text(read->data.scalar.tag);
      return;
    case YAML_SEQUENCE_START_EVENT:
      event(read->type, start, end, 0, read->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
      text(NULL);
      text(read->data.sequence_start.anchor);
      text(read->data.sequence_start.tag);
      return;
    case YAML_MAPPING_START_EVENT:
      event(read->type, start, end, 0, read->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
      text(NULL);
      text(read->data.mapping_start.anchor);
      text(read->data.mapping_start.tag);
      return;
    default:
      event(read->type, start, end, 0, 0);
  }
  text(NULL);
  text(NULL);
  text(NULL);
}

// Returns where to write a text of so many bytes.
__attribute__((export_name("room_for"))) unsigned char *room_for(size_t length) {
  return input = grown(input, length + 1);
}

// Reads the text of so many bytes and returns the size of the answer.
__attribute__((export_name("read"))) size_t read_text(size_t length) {
  yaml_parser_t parser;
  yaml_event_t found;
  int going_on = 1;
  count = used = 0;
  number(0);
  if (!yaml_parser_initialize(&parser)) __builtin_trap();
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, input, length);
  while (going_on) {
    if (!yaml_parser_parse(&parser, &found)) {
      failure(&parser);
      break;
    }
    write_event(&found);
    going_on = found.type != YAML_DOCUMENT_END_EVENT && found.type != YAML_STREAM_END_EVENT;
    yaml_event_delete(&found);
  }
  yaml_parser_delete(&parser);
  numbers[0] = (int)((count - 1) / SIZE);
  size_t bytes = count * sizeof *numbers;
  room = bytes + used;
  numbers = grown(numbers, room);
  memcpy((unsigned char *)numbers + bytes, strings, used);
  room /= sizeof *numbers;
  return bytes + used;
}

// Returns where the answer is.
__attribute__((export_name("answer"))) int *answer(void) { return numbers; }
