// Writes a table as comma-separated values (RFC 4180) from which the server reads the same values.

import { kind, tryParse } from "./data.js";

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

/** Whether a text needs no quotes and cannot be taken for another value. */
const isPlain = (text) => /^[^\s",;\uFEFF](.*[^\s])?$/.test(text) && !/[",;\t\n\r]/.test(text) && tryParse(text) === undefined;

/** Writes a text: as JSON if it could be taken for JSON or its column has other values. */
const textCell = (text, isMixed) => {
  if (isMixed || !text.isWellFormed() || (/^["[{]/.test(text) && tryParse(text) !== undefined)) return quoted(JSON.stringify(text));
  return isPlain(text) ? text : quoted(text);
};

function cell(value, isMixed) {
  if (value === undefined) return "";
  if (typeof value === "string") return textCell(value, isMixed);
  const text = JSON.stringify(value);
  return /array|object/.test(kind(value)) ? quoted(text) : text;
}

/** @param {Record<string, any>[]} rows The records to write: a missing member is an empty cell, a text in a column with other values is JSON. */
export function csv(rows) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const isMixed = names.map((name) => {
    const kinds = new Set(rows.map((row) => row[name]).filter((value) => value != null).map(kind));
    return kinds.has("string") && kinds.size > 1;
  });
  const lines = [names.map((name) => textCell(name, name === "")), ...rows.map((row) => names.map((name, index) => cell(row[name], isMixed[index])))];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}
