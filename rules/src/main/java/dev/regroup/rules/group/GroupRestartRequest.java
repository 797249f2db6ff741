package dev.regroup.rules.group;

/** A restart asked for by annotation (JS-167, node.md RAC-08). */
public record GroupRestartRequest(String requestId, String reason, boolean counted) {}
